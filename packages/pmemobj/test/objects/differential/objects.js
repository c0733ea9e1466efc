'use strict'

// Calls that are done to plain objects, instances and errors, and to persistent ones.

class Point {
  constructor (x, y) {
    this.x = x
    this.y = y
  }

  static origin () { return new Point(0, 0) }
  get length () { return Math.hypot(this.x, this.y) }
  set length (length) { this.x = length; this.y = 0 }
  move (dx) { this.x += dx; return this }
  toJSON () { return [this.x, this.y] }
  get [Symbol.toStringTag] () { return 'Point' }
  * [Symbol.iterator] () { yield this.x; yield this.y }
  [Symbol.toPrimitive] (hint) { return hint === 'number' ? this.length : `(${this.x}, ${this.y})` }
}

class Point3 extends Point {
  constructor (x, y, z) {
    super(x, y)
    this.z = z
  }

  get length () { return Math.hypot(super.length, this.z) }
}

const key = Symbol.for('key')

const objects = {
  empty: () => ({}),
  usual: () => ({ b: 1, a: 'text', 10: 'ten', 2: 'two', deep: { list: [1, { x: 1 }] }, none: undefined, nothing: null, [key]: 'symbol', '': 'empty', 'ä€': -0 }),
  bare: () => Object.assign(Object.create(null), { a: 1, toString: 'own' }),
  names: () => ({ constructor: 1, hasOwnProperty: 2, toString: 3, valueOf: 4, length: 5, then: 6 }),
  large: () => Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`name ${i}`, i]))
}

const objectCalls = [
  o => Object.keys(o), o => Object.values(o), o => Object.entries(o), o => Reflect.ownKeys(o), o => Object.getOwnPropertyNames(o), o => Object.getOwnPropertySymbols(o), o => Object.getOwnPropertyDescriptors(o), o => { const names = []; for (const name in o) names.push(name); return names }, o => ({ ...o }), o => ({ ...o, a: 'over' }), o => { const { a, ...rest } = o; return [a, rest] },
  o => Object.assign({}, o), o => Object.fromEntries(Object.entries(o)), o => JSON.stringify(o), o => JSON.stringify(o, ['a', 'deep', 'list']), o => JSON.stringify(o, null, 2), o => JSON.parse(JSON.stringify(o)), o => 'a' in o, o => 'toString' in o, o => key in o, o => Symbol.for('other') in o, o => Object.hasOwn(o, 'a'), o => o.a, o => o.missing, o => o[2], o => o[key], o => o[''], o => o.deep?.list?.[1].x, o => o.a?.length, o => o.__proto__ === Object.prototype, // eslint-disable-line no-proto
  o => Object.getPrototypeOf(o) === Object.prototype, o => o instanceof Object, o => Object.prototype.toString.call(o), o => typeof o, o => o.propertyIsEnumerable('a'), o => o.isPrototypeOf({}), o => o.valueOf() === o, o => String(o), o => `${o}`, o => o + 1, o => o == null, o => Object.is(o, o), o => Object.isFrozen(o), o => Object.isSealed(o), o => Object.isExtensible(o), o => structuredClone(o), // eslint-disable-line no-prototype-builtins
  o => { o.new = 1 }, o => { o.a = 'changed' }, o => { o.a = { deep: [1] } }, o => { o[key] = 'changed' }, o => { o[1] = 'one' }, o => { o['01'] = 'name' }, o => { o.b = o }, o => { o.deep = undefined }, o => { o.toString = 'own' }, o => { o.__proto__ = { a: 1 } }, o => Object.assign(o, { a: 1, z: [2], [key]: 3 }), o => { o.x ??= 5; o.a ||= 6; o.b &&= 7 }, o => { o.n = (o.n ?? 0) + 1; o.n++ }, // eslint-disable-line no-proto
  o => delete o.a, o => delete o.missing, o => delete o[key], o => { delete o.a; o.a = 'last'; return Object.keys(o) }, o => { for (const name of Object.keys(o)) delete o[name] }, o => { for (let i = 0; i < 200; i++) o[`n${i}`] = i; return Object.keys(o).length }, o => { for (let i = 0; i < 40; i++) o[i] = i; for (let i = 0; i < 40; i += 2) delete o[i]; return Object.keys(o) },
  o => Object.defineProperty(o, 'a', { value: 'defined', writable: true, enumerable: true, configurable: true }), o => Reflect.defineProperty(o, 'a', { value: 'reflected' }), o => Reflect.set(o, 'a', 'set'), o => Reflect.get(o, 'a', { a: 1 }), o => Reflect.has(o, 'b'), o => Reflect.deleteProperty(o, 'b'), o => { const heir = Object.create(o); heir.a = 'own'; return [heir.a, o.a, Object.keys(heir), heir.b] },
  o => { const seen = []; for (const name in o) { seen.push(name); delete o.deep; o.added = 1 } return seen }, o => { const names = Object.keys(o); for (const name of names) o[`${name}!`] = o[name]; return Object.keys(o) }, o => { with_(o) },
  o => Object.freeze(o), o => Object.seal(o), o => Object.preventExtensions(o), o => Object.defineProperty(o, 'g', { get () { return 1 }, enumerable: true, configurable: true }), o => Object.defineProperty(o, 'h', { value: 1 }), o => Object.setPrototypeOf(o, null), o => { o.f = () => {} }, o => { o[Symbol('s')] = 1 }, o => { o.s = Symbol('s') }, o => { o.s = Symbol.for('s'); return o.s }, o => { o.w = new WeakMap() }, o => { Object.defineProperty(o, 'a', { value: 1, writable: false }) }, o => o.method?.(), o => o.missing.more, o => o.missing()
]

function with_ (object) {
  const { a = 'none', deep: { list: [first] = [] } = {} } = object
  object.result = [a, first]
}

const instances = { point: () => new Point(3, 4), heir: () => new Point3(2, 3, 6), inList: () => [new Point(1, 2), new Point3(1, 2, 2)] }
const one = o => Array.isArray(o) ? o[1] : o
const instanceCalls = [
  o => one(o) instanceof Point, o => one(o) instanceof Point3, o => one(o).constructor.name, o => one(o).length, o => one(o).move(2).x, o => one(o).move(1) === one(o), o => { one(o).length = 9 }, o => Object.keys(one(o)), o => JSON.stringify(o), o => [...one(o)], o => `${one(o)}`, o => +one(o), o => Object.prototype.toString.call(one(o)), o => 'length' in one(o), o => Object.hasOwn(one(o), 'length'), o => one(o).constructor.origin().x, o => ({ ...one(o) }), o => { const names = []; for (const name in one(o)) names.push(name); return names },
  o => Object.getPrototypeOf(one(o)) === Point.prototype, o => { one(o).label = 'new' }, o => { delete one(o).x }, o => { one(o).next = new Point(5, 6); return one(o).next.length }, o => one(o).missing, o => one(o).move.call({ x: 1 }, 2).x, o => { one(o).move = 1 }, o => structuredClone(one(o)), o => Point.prototype.isPrototypeOf(one(o)), o => { one(o).self = one(o); return one(o).self.self.x } // eslint-disable-line no-prototype-builtins
]

/** Both sides are to have one stack. @param {Error} error */
function placed (error) {
  error.stack = `${error}\n    at a place`
  return error
}

const errors = {
  usual: () => placed(Object.assign(new RangeError('no', { cause: { code: 1 } }), { code: 'E', list: [1] })),
  bare: () => placed(new Error('')),
  many: () => placed(new AggregateError([placed(new TypeError('one'))], 'many'))
}
const errorCalls = [
  e => e.name, e => e.message, e => e.cause, e => e.errors?.map(String), e => String(e), e => e instanceof Error, e => e instanceof RangeError, e => Object.keys(e), e => Reflect.ownKeys(e).filter(name => name !== 'stack'), e => JSON.stringify(e), e => ({ ...e }), e => Object.prototype.toString.call(e), e => e.stack.split('\n')[0], e => e.toString(), e => { throw e }, e => 'message' in e, e => Object.hasOwn(e, 'cause'), e => Object.getOwnPropertyDescriptor(e, 'message'), e => e.constructor.name, e => `${e}`,
  e => { e.code = 'other' }, e => { e.message = 'other' }, e => { e.cause = [1] }, e => delete e.code, e => { e.name = 'Own'; return String(e) }, e => { try { throw e } catch (caught) { return caught === e } }, e => require('node:util').types.isNativeError(e), e => e[Symbol.toStringTag], e => structuredClone(e).message, e => new Error('outer', { cause: e }).cause.message, e => Object.assign(e, { more: 1 }), e => Object.freeze(e)
]

const others = { pattern: () => /a(b+)/gd, number: () => Object(5), text: () => Object('abc'), truth: () => Object(true), big: () => Object(7n), symbol: () => Object(Symbol.for('s')) }
const otherCalls = [
  v => Object.prototype.toString.call(v), v => typeof v, v => Object.keys(v), v => Reflect.ownKeys(v), v => v.source, v => v.flags, v => v.valueOf() === v, v => typeof v.valueOf(), v => v.test?.('xabbb'), v => v.exec?.('xabbb abb')?.index, v => 'xabbb ab'.replace(v instanceof RegExp ? v : 'x', '-'), v => v.length, v => v[1], v => v.toString(), v => JSON.stringify({ v: typeof v.valueOf() === 'bigint' ? 0 : v }), v => Object.getPrototypeOf(v) === v.constructor.prototype, v => v.lastIndex, v => { v.own = 1 }, v => Object.isExtensible(v), v => structuredClone(typeof v.valueOf() === 'symbol' ? 0 : v)
]

module.exports = {
  classes: [Point, Point3],
  groups: {
    objects: { values: objects, calls: objectCalls },
    instances: { values: instances, calls: instanceCalls },
    errors: { values: errors, calls: errorCalls },
    others: { values: others, calls: otherCalls }
  }
}
