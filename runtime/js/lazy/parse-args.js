// `util.parseArgs`: options and positionals of a command line.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypePush, ObjectKeys, ObjectPrototypeHasOwnProperty, StringPrototypeIndexOf, StringPrototypeSlice,
    StringPrototypeStartsWith, TypeError, copyList,
  } = internal.primordials;
  const { argumentType, nodeError, validateObject } = internal.errors;
  const has = (object, key) => ObjectPrototypeHasOwnProperty(object, key);

  // Cuts the arguments into tokens: options, positionals, and the `--` that ends the options.
  function tokenize(args, options) {
    const tokens = [];
    for (let index = 0; index < args.length; index++) {
      const arg = args[index];
      if (arg === '--') {
        ArrayPrototypePush(tokens, { kind: 'option-terminator', index });
        for (let i = index + 1; i < args.length; i++) ArrayPrototypePush(tokens, { kind: 'positional', index: i, value: args[i] });
        break;
      }
      if (arg[0] !== '-' || arg.length < 2) ArrayPrototypePush(tokens, { kind: 'positional', index, value: arg });
      else index = StringPrototypeStartsWith(arg, '--') ? longOption(tokens, args, index, options) : shortOptions(tokens, args, index, options);
    }
    return tokens;
  }

  function longOption(tokens, args, index, options) {
    const arg = args[index];
    const equals = StringPrototypeIndexOf(arg, '=');
    const name = StringPrototypeSlice(arg, 2, equals === -1 ? undefined : equals);
    const rawName = `--${name}`;
    if (equals !== -1) {
      ArrayPrototypePush(tokens, { kind: 'option', name, rawName, index, value: StringPrototypeSlice(arg, equals + 1), inlineValue: true });
      return index;
    }
    return takeValue(tokens, args, index, options, name, rawName);
  }

  function takeValue(tokens, args, index, options, name, rawName) {
    const wants = has(options, name) && options[name].type === 'string';
    const value = wants ? args[index + 1] : undefined;
    const inlineValue = value === undefined ? undefined : false;
    ArrayPrototypePush(tokens, { kind: 'option', name, rawName, index, value, inlineValue });
    return value === undefined ? index : index + 1;
  }

  function longName(short, options) {
    const names = ObjectKeys(options);
    for (let i = 0; i < names.length; i++) if (options[names[i]].short === short) return names[i];
    return short;
  }

  // `-abc`: flags up to the first option that takes a value, which takes the rest.
  function shortOptions(tokens, args, index, options) {
    const arg = args[index];
    for (let i = 1; i < arg.length; i++) {
      const name = longName(arg[i], options);
      const rawName = `-${arg[i]}`;
      const last = i === arg.length - 1;
      if (last) return takeValue(tokens, args, index, options, name, rawName);
      if (has(options, name) && options[name].type === 'string') {
        ArrayPrototypePush(tokens, { kind: 'option', name, rawName, index, value: StringPrototypeSlice(arg, i + 1), inlineValue: true });
        return index;
      }
      ArrayPrototypePush(tokens, { kind: 'option', name, rawName, index, value: undefined, inlineValue: undefined });
    }
    return index;
  }

  function checkOption({ name, rawName, value }, options, allowNegative) {
    if (!has(options, name)) {
      const plain = StringPrototypeStartsWith(name, 'no-') ? StringPrototypeSlice(name, 3) : undefined;
      if (allowNegative && plain !== undefined && has(options, plain)) return;
      throw nodeError(TypeError, 'ERR_PARSE_ARGS_UNKNOWN_OPTION', `Unknown option '${rawName}'`);
    }
    const { type, short } = options[name];
    const shown = `${short ? `-${short}, ` : ''}--${name}`;
    if (type === 'string' && typeof value !== 'string') {
      throw nodeError(TypeError, 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${shown} <value>' argument missing`);
    }
    if (type === 'boolean' && value !== undefined) {
      throw nodeError(TypeError, 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${shown}' does not take an argument`);
    }
  }

  function store(values, name, value, options) {
    if (name === '__proto__') return;
    if (has(options, name) && options[name].multiple) {
      values[name] ??= [];
      ArrayPrototypePush(values[name], value);
    } else values[name] = value;
  }

  function checkOptions(options) {
    validateObject(options, 'options');
    const names = ObjectKeys(options);
    for (let i = 0; i < names.length; i++) {
      const { type } = options[names[i]];
      if (type !== 'string' && type !== 'boolean') throw argumentType(`options.${names[i]}.type`, ['string', 'boolean'], type);
    }
  }

  function parseArgs(config = { __proto__: null }) {
    validateObject(config, 'config');
    const { args = copyList(internal.process.argv, 2), options = { __proto__: null }, strict = true, allowPositionals = !strict, allowNegative = false, tokens: wantTokens = false } = config;
    checkOptions(options);
    const tokens = tokenize(args, options);
    const values = { __proto__: null };
    const positionals = [];
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i];
      if (token.kind === 'positional') {
        if (!allowPositionals) {
          throw nodeError(TypeError, 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL',
            `Unexpected argument '${token.value}'. This command does not take positional arguments`);
        }
        ArrayPrototypePush(positionals, token.value);
      } else if (token.kind === 'option') {
        if (strict) checkOption(token, options, allowNegative);
        const negated = allowNegative && !has(options, token.name) && StringPrototypeStartsWith(token.name, 'no-');
        store(values, negated ? StringPrototypeSlice(token.name, 3) : token.name, negated ? false : token.value ?? true, options);
      }
    }
    const names = ObjectKeys(options);
    for (let i = 0; i < names.length; i++) {
      if (options[names[i]].default !== undefined && values[names[i]] === undefined) values[names[i]] = options[names[i]].default;
    }
    return wantTokens ? { values, positionals, tokens } : { values, positionals };
  }

  internal.parseArgs = parseArgs;
})
