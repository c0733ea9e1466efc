'use strict'

// Calls that are done to plain Dates and bytes, and to persistent ones.

const names = Object.getOwnPropertyNames(Date.prototype).filter(name => name !== 'constructor')

/** A call of a method by its name, which is what the test is called. */
function named (name, ...args) {
  const call = value => value[name](...args)
  call.toString = () => `d => d.${name}(${args.map(arg => typeof arg === 'bigint' ? `${arg}n` : JSON.stringify(arg)).join()})`
  return call
}

const dates = {
  usual: () => new Date(Date.UTC(2026, 1, 28, 12, 30, 15, 123)),
  before: () => new Date(-1),
  farthest: () => new Date(8.64e15),
  none: () => new Date(NaN)
}

const dateCalls = [
  ...names.filter(name => !name.startsWith('set')).map(name => named(name)),
  ...names.filter(name => name.startsWith('set')).flatMap(name => [named(name, 5), named(name, -1), named(name, 31, 61), named(name), named(name, '7'), named(name, 1n)]),
  d => d[Symbol.toPrimitive]('number'), d => d[Symbol.toPrimitive]('string'), d => `${d}`, d => d + 1, d => d - 1, d => d < new Date(5), d => Number(d), d => JSON.stringify({ d }), d => new Date(d).getTime(), d => Object.keys(d), d => Reflect.ownKeys(d), d => d instanceof Date, d => Object.prototype.toString.call(d), d => d.constructor === Date,
  d => new Intl.DateTimeFormat('en', { timeZone: 'UTC' }).format(d), d => Date.prototype.getTime.call(d), d => { Date.prototype.setTime.call(d, 7); return d.getTime() }, d => structuredClone(d).getTime(), d => { d.own = 1 }, d => Object.getPrototypeOf(d) === Date.prototype, d => d.getTime.call({}), d => ({ ...d }), d => d.setTime(Symbol('s'))
]

const kinds = ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'Float32Array', 'Float64Array']
const typed = {
  ...Object.fromEntries(kinds.map(kind => [kind, () => new globalThis[kind]([5, 1, 200, 3, 1])])),
  part: () => new Uint16Array(new Uint16Array([1, 2, 3, 4, 5]).buffer, 2, 3),
  Buffer: () => Buffer.from(new Uint8Array([5, 1, 200, 3, 1]).buffer),
  none: () => new Uint8Array(0)
}

const typedCalls = [
  t => t.length, t => t[0], t => t[99], t => t[-1], t => t.at(-1), t => t.byteLength, t => t.byteOffset, t => t.BYTES_PER_ELEMENT, t => t.buffer.byteLength, t => [...t], t => [...t.entries()], t => [...t.keys()], t => t.every(x => x > 0), t => t.some(x => x > 4), t => t.filter(x => x > 1), t => t.find(x => x > 1), t => t.findIndex(x => x > 1), t => t.findLast(x => x < 3), t => t.findLastIndex(x => x < 3),
  t => { const seen = []; t.forEach((x, i) => seen.push(i, x)); return seen }, t => t.includes(3), t => t.indexOf(1), t => t.lastIndexOf(1), t => t.join('-'), t => t.map(x => x + 1), t => t.reduce((a, b) => a + b, 0), t => t.reduceRight((a, b) => `${a}${b}`, ''), t => [...t.slice(1, 3)], t => [...t.subarray(1, 3)], t => t.toReversed(), t => t.toSorted(), t => t.with(0, 9), t => t.toLocaleString(), t => String(t), t => JSON.stringify(t), t => Object.keys(t), t => Object.entries(t), t => ({ ...t }), t => t instanceof Uint8Array, t => Object.prototype.toString.call(t),
  t => t.reverse(), t => t.sort(), t => t.sort((a, b) => b - a), t => t.fill(7), t => t.fill(7, 1, 2), t => t.copyWithin(0, 1), t => { t.set([9, 8]) }, t => { t.set([1, 2, 3, 4, 5, 6, 7]) }, t => { t.set([9], 1) }, t => { t[0] = 300 }, t => { t[99] = 1 }, t => { t.length = 1 }, t => { t[0]++; t.subarray(1).fill(2) }, t => Object.defineProperty(t, 0, { value: 5 }), t => delete t[0], t => Object.freeze(t), t => [...structuredClone(t)], t => new DataView(t.buffer).byteLength, t => t.buffer.slice(1).byteLength, t => t.buffer instanceof ArrayBuffer, t => Object.getPrototypeOf(t.buffer) === ArrayBuffer.prototype, t => t.buffer.resizable, t => t.buffer.resize(1), t => { t.buffer.transfer?.(); if (t.buffer.transfer === undefined) throw new TypeError('none') }
]

const buffers = { bytes: () => new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]).buffer, view: () => new DataView(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]).buffer) }
const bufferCalls = [
  b => b.byteLength, b => b.slice?.(2, 4), b => new Uint8Array(b.buffer ?? b).join(), b => b.getInt16?.(1), b => b.getFloat64?.(0, true), b => b.getUint8?.(99), b => { b.setInt32?.(2, -5, true) }, b => { new Uint8Array(b.buffer ?? b)[3] = 99 }, b => b.byteOffset, b => Object.prototype.toString.call(b), b => ArrayBuffer.isView(b), b => Object.keys(b), b => structuredClone(b).byteLength
]

module.exports = { dates: { values: dates, calls: dateCalls }, 'typed arrays': { values: typed, calls: typedCalls }, buffers: { values: buffers, calls: bufferCalls } }
