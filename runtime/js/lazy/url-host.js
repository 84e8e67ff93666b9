// Percent-encoding and hosts of URLs: domains, IPv4 and IPv6 addresses. URL Standard, sections 1.3 and 3.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypeJoin, ArrayPrototypePop, ArrayPrototypePush, MathFloor, Number, NumberParseInt,
    NumberPrototypeToString, RegExpPrototypeExec, StringFromCharCode, StringPrototypeCodePointAt,
    StringPrototypeIncludes, StringPrototypeIndexOf, StringPrototypeNormalize, StringPrototypePadStart,
    StringPrototypeSlice, StringPrototypeSplit, StringPrototypeToLowerCase, StringPrototypeToUpperCase,
    TypedArrayPrototypeGetLength, Uint8Array, regExpReplace,
  } = internal.primordials;

  // --- Percent-encoding ---

  const sets = {
    __proto__: null,
    c0: /[\x00-\x1f\x7f-\u{10ffff}]+/gu,
    fragment: /[\x00-\x20"<>`\x7f-\u{10ffff}]+/gu,
    query: /[\x00-\x20"#<>\x7f-\u{10ffff}]+/gu,
    specialQuery: /[\x00-\x20"#'<>\x7f-\u{10ffff}]+/gu,
    path: /[\x00-\x20"#<>?`{}\x7f-\u{10ffff}]+/gu,
    userinfo: /[\x00-\x20"#/:;<=>?@[\\\]^`{|}\x7f-\u{10ffff}]+/gu,
    form: /[^A-Za-z0-9*\-._]+/gu,
  };

  function escapeRun(match) {
    const bytes = native.utf8Encode(match[0]);
    let text = '';
    for (let i = 0; i < TypedArrayPrototypeGetLength(bytes); i++) {
      text += `%${StringPrototypeToUpperCase(StringPrototypePadStart(NumberPrototypeToString(bytes[i], 16), 2, '0'))}`;
    }
    return text;
  }

  function percentEncode(text, set) {
    return regExpReplace(sets[set], text, escapeRun);
  }

  function hexDigit(code) {
    if (code >= 48 && code <= 57) return code - 48;
    const lower = code | 32;
    return lower >= 97 && lower <= 102 ? lower - 87 : -1;
  }

  function percentDecode(text) {
    if (!StringPrototypeIncludes(text, '%')) return text;
    const bytes = native.utf8Encode(text);
    const length = TypedArrayPrototypeGetLength(bytes);
    const decoded = new Uint8Array(length);
    let size = 0;
    for (let i = 0; i < length; i++) {
      const high = bytes[i] === 37 && i + 2 < length ? hexDigit(bytes[i + 1]) : -1;
      const low = high === -1 ? -1 : hexDigit(bytes[i + 2]);
      if (low === -1) {
        decoded[size++] = bytes[i];
      } else {
        decoded[size++] = high * 16 + low;
        i += 2;
      }
    }
    return native.utf8Decode(new Uint8Array(decoded.buffer, 0, size), false, true);
  }

  // --- Punycode, RFC 3492 ---

  function adapt(delta, points, first) {
    let left = first ? MathFloor(delta / 700) : delta >> 1;
    left += MathFloor(left / points);
    let k = 0;
    for (; left > 455; k += 36) left = MathFloor(left / 35);
    return k + MathFloor((36 * left) / (left + 38));
  }

  function codePoints(text) {
    const points = [];
    for (let i = 0; i < text.length; i++) {
      const point = StringPrototypeCodePointAt(text, i);
      if (point > 0xffff) i++;
      ArrayPrototypePush(points, point);
    }
    return points;
  }

  function digit(value) {
    return StringFromCharCode(value < 26 ? value + 97 : value + 22);
  }

  function punycode(label) {
    const points = codePoints(label);
    let output = '';
    for (let i = 0; i < points.length; i++) if (points[i] < 128) output += StringFromCharCode(points[i]);
    const basic = output.length;
    let handled = basic;
    if (basic > 0) output += '-';
    let n = 128;
    let delta = 0;
    let bias = 72;
    while (handled < points.length) {
      let next = 0x7fffffff;
      for (let i = 0; i < points.length; i++) if (points[i] >= n && points[i] < next) next = points[i];
      delta += (next - n) * (handled + 1);
      n = next;
      for (let i = 0; i < points.length; i++) {
        if (points[i] < n) delta++;
        if (points[i] !== n) continue;
        let q = delta;
        for (let k = 36; ; k += 36) {
          const t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
          if (q < t) break;
          output += digit(t + ((q - t) % (36 - t)));
          q = MathFloor((q - t) / (36 - t));
        }
        output += digit(q);
        bias = adapt(delta, handled + 1, handled === basic);
        delta = 0;
        handled++;
      }
      delta++;
      n++;
    }
    return output;
  }

  function domainToAscii(domain) {
    if (RegExpPrototypeExec(/[^\x00-\x7f]/, domain) === null) return StringPrototypeToLowerCase(domain);
    let text = regExpReplace(/[\u00ad\u200b\u2060\ufeff]|[\u3002\uff0e\uff61]/g, domain, (match) => (match[0] < '\u3000' || match[0] === '\ufeff' ? '' : '.'));
    text = StringPrototypeNormalize(StringPrototypeToLowerCase(StringPrototypeNormalize(text, 'NFKC')), 'NFC');
    const labels = StringPrototypeSplit(text, '.');
    for (let i = 0; i < labels.length; i++) {
      if (RegExpPrototypeExec(/[^\x00-\x7f]/, labels[i]) !== null) labels[i] = `xn--${punycode(labels[i])}`;
    }
    return ArrayPrototypeJoin(labels, '.');
  }

  // --- Addresses ---

  function ipv4Number(part) {
    if (part === '') return NaN;
    let digits = part;
    let radix = 10;
    if (RegExpPrototypeExec(/^0[xX]/, digits) !== null) {
      digits = StringPrototypeSlice(digits, 2);
      radix = 16;
    } else if (digits.length > 1 && digits[0] === '0') {
      digits = StringPrototypeSlice(digits, 1);
      radix = 8;
    }
    if (digits === '') return 0;
    const valid = radix === 16 ? /^[0-9a-fA-F]+$/ : radix === 8 ? /^[0-7]+$/ : /^[0-9]+$/;
    return RegExpPrototypeExec(valid, digits) === null ? NaN : NumberParseInt(digits, radix);
  }

  function endsInNumber(domain) {
    const parts = StringPrototypeSplit(domain, '.');
    if (parts[parts.length - 1] === '' && parts.length > 1) ArrayPrototypePop(parts);
    const last = parts[parts.length - 1];
    return RegExpPrototypeExec(/^[0-9]+$/, last) !== null || RegExpPrototypeExec(/^0[xX][0-9a-fA-F]*$/, last) !== null;
  }

  function parseIpv4(domain) {
    const parts = StringPrototypeSplit(domain, '.');
    if (parts[parts.length - 1] === '' && parts.length > 1) ArrayPrototypePop(parts);
    if (parts.length > 4) return null;
    let address = 0;
    for (let i = 0; i < parts.length; i++) {
      const number = ipv4Number(parts[i]);
      const last = i === parts.length - 1;
      if (!(number < (last ? 256 ** (5 - parts.length) : 256))) return null;
      address += last ? number : number * 256 ** (3 - i);
    }
    const bytes = [];
    for (let i = 3; i >= 0; i--) ArrayPrototypePush(bytes, MathFloor(address / 256 ** i) % 256);
    return ArrayPrototypeJoin(bytes, '.');
  }

  // The eight pieces of an address; a dotted tail counts as two.
  function ipv6Pieces(text) {
    const pieces = [];
    if (text === '') return pieces;
    const parts = StringPrototypeSplit(text, ':');
    for (let i = 0; i < parts.length; i++) {
      if (i === parts.length - 1 && StringPrototypeIncludes(parts[i], '.')) {
        const match = RegExpPrototypeExec(/^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/, parts[i]);
        if (match === null || match[1] > 255 || match[2] > 255 || match[3] > 255 || match[4] > 255) return null;
        ArrayPrototypePush(pieces, match[1] * 256 + Number(match[2]));
        ArrayPrototypePush(pieces, match[3] * 256 + Number(match[4]));
      } else {
        if (RegExpPrototypeExec(/^[0-9a-fA-F]{1,4}$/, parts[i]) === null) return null;
        ArrayPrototypePush(pieces, NumberParseInt(parts[i], 16));
      }
    }
    return pieces;
  }

  function parseIpv6(text) {
    const gap = StringPrototypeIndexOf(text, '::');
    let pieces;
    if (gap === -1) {
      pieces = ipv6Pieces(text);
    } else {
      const before = ipv6Pieces(StringPrototypeSlice(text, 0, gap));
      const after = ipv6Pieces(StringPrototypeSlice(text, gap + 2));
      if (before === null || after === null || before.length + after.length > 7) return null;
      if (gap > 0 && StringPrototypeIncludes(StringPrototypeSlice(text, 0, gap), '.')) return null;
      pieces = before;
      while (pieces.length + after.length < 8) ArrayPrototypePush(pieces, 0);
      for (let i = 0; i < after.length; i++) ArrayPrototypePush(pieces, after[i]);
    }
    return pieces === null || pieces.length !== 8 ? null : `[${serializeIpv6(pieces)}]`;
  }

  // The longest run of two zeros or more becomes `::`.
  function serializeIpv6(pieces) {
    let start = -1;
    let longest = 1;
    for (let i = 0; i < 8; i++) {
      let length = 0;
      while (i + length < 8 && pieces[i + length] === 0) length++;
      if (length > longest) {
        start = i;
        longest = length;
      }
    }
    let text = '';
    for (let i = 0; i < 8; i++) {
      if (i === start) {
        text += i === 0 ? '::' : ':';
        i += longest - 1;
        continue;
      }
      text += NumberPrototypeToString(pieces[i], 16);
      if (i < 7) text += ':';
    }
    return text;
  }

  // The serialized host, or null where it is none.
  function parseHost(input, isOpaque) {
    if (input[0] === '[') {
      return input[input.length - 1] === ']' ? parseIpv6(StringPrototypeSlice(input, 1, -1)) : null;
    }
    if (isOpaque) {
      if (RegExpPrototypeExec(/[\x00\t\n\r #/:<>?@[\\\]^|]/, input) !== null) return null;
      return percentEncode(input, 'c0');
    }
    const domain = domainToAscii(percentDecode(input));
    if (domain === '' || RegExpPrototypeExec(/[\x00-\x20#%/:<>?@[\\\]^|\x7f]/, domain) !== null) return null;
    return endsInNumber(domain) ? parseIpv4(domain) : domain;
  }

  internal.urlHost = { __proto__: null, domainToAscii, parseHost, percentDecode, percentEncode };
})
