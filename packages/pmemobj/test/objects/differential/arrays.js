'use strict'

// Calls that are done to a plain array and to a persistent one.

const mixed = () => [3, 'b', { n: 1 }, [1, [2, [3]]], null, undefined, -0, NaN, 10n, true]

/** Makers of arrays, by name. */
const values = {
  numbers: () => [3, 1, 2, 10],
  strings: () => ['b', 'a', 'é', '', '10', '9'],
  mixed,
  holes: () => Object.assign([1], { 3: 'x', 6: undefined }),
  empty: () => [],
  symbols: () => [Symbol.for('b'), Symbol.for('a'), 1],
  'one symbol': () => [Symbol.for('b')],
  objects: () => [{ n: 2 }, { n: 1 }, { n: 2, again: true }],
  long: () => Array.from({ length: 100 }, (_, i) => i * 7 % 31)
}

const big = a => a.filter(x => typeof x !== 'bigint')

const calls = [
  // without a change
  a => a.length, a => a[0], a => a[1.5], a => a['01'], a => a[-1], a => a.at(-1), a => a.at(1), a => a.at(99), a => a.concat([7], 8, [[9]]), a => [0].concat(a), a => a.entries().next(),
  a => [...a.entries()], a => [...a.keys()], a => [...a.values()], a => [...a], a => a.every(x => x !== 'none'), a => a.some(x => x === 1), a => a.filter((x, i) => i % 2 === 0),
  a => a.find(x => typeof x === 'object'), a => a.findIndex(x => x === 1), a => a.findLast(x => x !== undefined), a => a.findLastIndex(x => x === 1), a => a.flat(), a => a.flat(Infinity), a => a.flatMap(x => [x, x]),
  a => { const seen = []; a.forEach((x, i) => seen.push(i, x)); return seen }, a => a.includes(NaN), a => a.includes(undefined), a => a.indexOf(1), a => a.indexOf(undefined), a => a.lastIndexOf(2), a => a.lastIndexOf(1, -2),
  a => big(a).join(), a => big(a).join('-'), a => a.map((x, i) => [i, x]), a => a.reduce((sum, x) => sum + String(x), ''), a => a.reduceRight((list, x) => [...list, x], []), a => a.reduce((one, other) => one ?? other),
  a => a.slice(), a => a.slice(1, -1), a => a.slice(-2), a => big(a).toLocaleString(), a => String(big(a)), a => a.toReversed(), a => a.toSorted((x, y) => String(x) < String(y) ? -1 : 1), a => a.toSpliced(1, 1, 'new'), a => a.with(0, 'other'), a => a.with(99, 1),
  a => Array.isArray(a), a => Array.from(a, x => [x]), a => Array.from(a.entries()), a => Array.of(...a), a => Object.keys(a), a => Object.values(a), a => Object.entries(a), a => Reflect.ownKeys(a), a => Object.getOwnPropertyDescriptors(a),
  a => 0 in a, a => 1 in a, a => 'length' in a, a => 'push' in a, a => Object.hasOwn(a, 2), a => Object.prototype.propertyIsEnumerable.call(a, 'length'), a => { const names = []; for (const name in a) names.push(name); return names },
  a => { const [first, , third = 'none', ...rest] = a; return [first, third, rest] }, a => ({ ...a }), a => Object.assign({}, a), a => JSON.stringify(big(a)), a => JSON.stringify(big(a), null, 1), a => JSON.stringify(big(a), (_, x) => Array.isArray(x) ? [...x, 'end'] : x),
  a => Math.max(...a.filter(Number.isFinite)), a => a instanceof Array, a => Object.prototype.toString.call(a), a => a.constructor === Array, a => Object.getPrototypeOf(a) === Array.prototype, a => a[Symbol.isConcatSpreadable], a => typeof a, a => a == null,
  a => Object.isFrozen(a), a => Object.isExtensible(a), a => a.hasOwnProperty('length'), a => a.propertyIsEnumerable(0), a => Object.groupBy === undefined ? 0 : Object.groupBy(a, x => typeof x), // eslint-disable-line no-prototype-builtins
  a => structuredClone([...a].filter(x => typeof x !== 'object')), a => structuredClone(a),
  // with a change
  a => a.push(), a => a.push('new'), a => a.push(1, { two: 2 }, [3]), a => a.pop(), a => a.shift(), a => a.unshift(), a => a.unshift('first', { second: 2 }), a => a.splice(), a => a.splice(1), a => a.splice(0, 1), a => a.splice(1, 0, 'in', 'between'), a => a.splice(-2, 1, 'x'), a => a.splice(1, 2, 'y'), a => a.splice(0, Infinity), a => a.splice(undefined, undefined, 'z'),
  a => a.reverse(), a => a.filter(x => typeof x !== 'bigint').sort(), a => a.sort((x, y) => String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0), a => a.sort(() => 0), a => a.sort('no function'), a => a.fill('f'), a => a.fill({ same: true }, 1, 3), a => a.fill(0, -2), a => a.fill(), a => a.copyWithin(0, 1), a => a.copyWithin(1, 0, 2), a => a.copyWithin(-2, 0),
  a => { a.length = 2 }, a => { a.length = 0 }, a => { a.length += 3 }, a => { a.length = -1 }, a => { a.length = 1.5 }, a => { a.length = '1' }, a => { a[0] = 'changed' }, a => { a[a.length] = 'next' }, a => { a[a.length + 2] = 'far' }, a => { a['0'] = 'by string' }, a => delete a[0], a => delete a[99], a => delete a.length,
  a => Object.defineProperty(a, 0, { value: 'defined', writable: true, enumerable: true, configurable: true }), a => Object.defineProperty(a, 'length', { value: 1 }), a => Reflect.defineProperty(a, 'length', { enumerable: true }), a => Reflect.set(a, 1, 'reflected'), a => Reflect.deleteProperty(a, 1), a => Object.assign(a, ['assigned']),
  a => { for (let i = 0; i < 40; i++) a.push(i) }, a => { while (a.length > 0) a.pop() }, a => { for (let i = 0; i < 35; i++) a.unshift(i) }, a => { while (a.length > 1) a.shift() }, a => { a.push(a) }, a => { a[0] = a.slice() }, a => { [a[0], a[1]] = [a[1], a[0]] }, a => { a.push(...a) },
  // while it is gone through
  a => { const seen = []; for (const x of a) { seen.push(x); if (seen.length < 5) a.push('more') } return seen }, a => { const seen = []; for (const x of a) { seen.push(x); a.pop() } return seen }, a => { const seen = []; a.forEach((x, i) => { seen.push(x); if (i < 3) a.push(i) }); return seen },
  a => a.map((x, i) => { delete a[i + 1]; return x }), a => { const seen = []; for (const i in a) { seen.push(i); delete a[Number(i) + 1] } return seen }, a => { const it = a.values(); it.next(); a.length = 0; return [...it] }, a => a.filter((x, i) => { if (i === 0) a.reverse(); return true }), a => a.reduce((n, x) => { a.shift(); return n + 1 }, 0),
  // errors
  a => a.map(), a => a.forEach(1), a => a.reduce(5), a => a.flat(1n), a => new Array(a.length).concat(a).length, a => a.at(1n), a => a.with(-99, 1), a => a.join(Symbol('s')), a => { a.unshift(() => {}) }, a => { a.total = 1 }, a => { a[Symbol.for('s')] = 1 }, a => { a[4294967295] = 1 }, a => { a['-1'] = 1 },
  a => Object.freeze(a), a => Object.seal(a), a => Object.preventExtensions(a), a => Object.defineProperty(a, 0, { get () { return 1 } }), a => Object.setPrototypeOf(a, null), a => { a.push(Symbol('s')) }, a => { a[0] = new WeakMap() }
]

module.exports = { arrays: { values, calls } }
