// Makes the scripts of `package.json`'s packages that the runtime embeds, in the directory that is given.
import { bundleNode } from './src/node.mjs';

await bundleNode(process.argv[2]);
