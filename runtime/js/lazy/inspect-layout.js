// How `inspect` sets out what it has formatted: on one line, in columns, or one entry a line. The measures are Node's.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypeJoin, ArrayPrototypePush, MathFloor, MathMax, MathMin, MathRound, MathSqrt, StringPrototypeIncludes,
    StringPrototypePadEnd, StringPrototypePadStart, StringPrototypeRepeat,
  } = internal.primordials;
  const { widthOf } = internal.inspectBase;

  function fitsLine(ctx, output, start, base) {
    let total = output.length + start;
    if (total + output.length > ctx.breakLength) return false;
    for (let i = 0; i < output.length; i++) {
      total += ctx.colors ? widthOf(output[i], true) : output[i].length;
      if (total > ctx.breakLength) return false;
    }
    return base === '' || !StringPrototypeIncludes(base, '\n');
  }

  // How many columns look best: about a square, where a character is 2.5 times as high as wide.
  function columnsFor(ctx, count, total, widest) {
    const column = widest + 2;
    if (column * 3 + ctx.indentation >= ctx.breakLength) return 1;
    if (total / column <= 5 && widest > 6) return 1;
    const bias = MathSqrt(column - total / count.all);
    const biased = MathMax(column - 3 - bias, 1);
    return MathMin(
      MathRound(MathSqrt(2.5 * biased * count.shown) / biased),
      MathFloor((ctx.breakLength - ctx.indentation) / column),
      ctx.compact * 4,
      15,
    );
  }

  // Joins the entries of a long array into lines of equal columns; `numbers` align to the right.
  function groupEntries(ctx, output, numbers) {
    const more = ctx.maxArrayLength < output.length;
    const shown = more ? output.length - 1 : output.length;
    const widths = [];
    let total = 0;
    let widest = 0;
    for (let i = 0; i < shown; i++) {
      widths[i] = widthOf(output[i], ctx.colors);
      total += widths[i] + 2;
      widest = MathMax(widest, widths[i]);
    }
    const columns = columnsFor(ctx, { __proto__: null, all: output.length, shown }, total, widest);
    if (columns <= 1) return output;
    const columnWidths = [];
    for (let i = 0; i < columns; i++) {
      let width = 0;
      for (let j = i; j < shown; j += columns) width = MathMax(width, widths[j]);
      columnWidths[i] = width + 2;
    }
    const pad = numbers ? StringPrototypePadStart : StringPrototypePadEnd;
    const lines = [];
    for (let i = 0; i < shown; i += columns) {
      const end = MathMin(i + columns, shown) - 1;
      let line = '';
      for (let j = i; j < end; j++) {
        line += pad(`${output[j]}, `, columnWidths[j - i] + output[j].length - widths[j], ' ');
      }
      const width = columnWidths[end - i] + output[end].length - widths[end] - 2;
      ArrayPrototypePush(lines, line + (numbers ? StringPrototypePadStart(output[end], width, ' ') : output[end]));
    }
    if (more) ArrayPrototypePush(lines, output[shown]);
    return lines;
  }

  // Puts base, braces and entries together. `isArray` allows columns; `numbers` says that all entries are numbers.
  function layOut(ctx, entries, { base, open, close, isArray, numbers }, recurseTimes) {
    const lead = base === '' ? '' : `${base} `;
    const newline = `\n${StringPrototypeRepeat(' ', ctx.indentation)}`;
    if (ctx.compact === true) {
      if (fitsLine(ctx, entries, 0, base)) {
        return `${open}${base === '' ? '' : ` ${base}`} ${ArrayPrototypeJoin(entries, ', ')} ${close}`;
      }
      const start = base === '' && open.length === 1 ? ' ' : `${base === '' ? '' : ` ${base}`}${newline}  `;
      return `${open}${start}${ArrayPrototypeJoin(entries, `,${newline}  `)} ${close}`;
    }
    let output = entries;
    if (typeof ctx.compact === 'number' && ctx.compact >= 1) {
      if (isArray && entries.length > 6) output = groupEntries(ctx, entries, numbers);
      if (ctx.currentDepth - recurseTimes < ctx.compact && entries.length === output.length) {
        const start = output.length + ctx.indentation + open.length + base.length + 10;
        if (fitsLine(ctx, output, start, base)) {
          const joined = ArrayPrototypeJoin(output, ', ');
          if (!StringPrototypeIncludes(joined, '\n')) return `${lead}${open} ${joined} ${close}`;
        }
      }
    }
    return `${lead}${open}${newline}  ${ArrayPrototypeJoin(output, `,${newline}  `)}${newline}${close}`;
  }

  internal.inspectLayout = { __proto__: null, layOut };
})
