// Makes the scripts of `package.json`'s packages that the runtime embeds, in the directory that is given.
import { bundleNode } from './src/node.mjs';
import { bundleWeb } from './src/web.mjs';

await bundleNode(process.argv[2]);
await bundleWeb(process.argv[2]);
