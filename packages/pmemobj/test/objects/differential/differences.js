'use strict'

// Calls that do otherwise for what is in a pool, and why: by reason and kind of value. A call that differs for some values
// only has their names.

/** @type {Record<string, Record<string, (string | [string, string[]])[]>>} */
const reasons = {
  'V8 clones what it knows itself, and nothing through a Proxy: pool.plain() copies first': {
    objects: [
      'o => structuredClone(o)'
    ],
    instances: [
      'o => structuredClone(one(o))'
    ],
    errors: [
      'e => structuredClone(e).message'
    ],
    arrays: [
      ['a => structuredClone(a)', ['numbers', 'strings', 'mixed', 'holes', 'empty', 'objects', 'long']]
    ],
    maps: [
      'm => structuredClone(m)'
    ],
    sets: [
      's => structuredClone(s)'
    ]
  },
  'The prototype says what an object of a pool is, and stays': {
    objects: [
      ['o => { o.__proto__ = { a: 1 } }', ['empty', 'usual', 'names', 'large']],
      ['o => Object.setPrototypeOf(o, null)', ['empty', 'usual', 'names', 'large']]
    ],
    arrays: [
      'a => Object.setPrototypeOf(a, null)'
    ]
  },
  'A property of a pool is a value, and writable, enumerable and configurable': {
    objects: [
      ['o => Reflect.defineProperty(o, \'a\', { value: \'reflected\' })', ['empty', 'names', 'large']],
      'o => Object.defineProperty(o, \'g\', { get () { return 1 }, enumerable: true, configurable: true })',
      'o => Object.defineProperty(o, \'h\', { value: 1 })',
      'o => { Object.defineProperty(o, \'a\', { value: 1, writable: false }) }'
    ],
    arrays: [
      'a => Object.defineProperty(a, 0, { get () { return 1 } })'
    ]
  },
  'An object of a pool stays as open as it is': {
    objects: [
      'o => Object.freeze(o)',
      'o => Object.seal(o)',
      'o => Object.preventExtensions(o)'
    ],
    errors: [
      'e => Object.freeze(e)'
    ],
    arrays: [
      'a => Object.freeze(a)',
      'a => Object.seal(a)',
      'a => Object.preventExtensions(a)'
    ]
  },
  'Functions, local symbols and weak collections mean nothing in another process': {
    objects: [
      'o => { o.f = () => {} }',
      'o => { o[Symbol(\'s\')] = 1 }',
      'o => { o.s = Symbol(\'s\') }',
      'o => { o.w = new WeakMap() }'
    ],
    arrays: [
      'a => { a.unshift(() => {}) }',
      'a => { a.push(Symbol(\'s\')) }',
      'a => { a[0] = new WeakMap() }'
    ],
    maps: [
      'm => m.set(\'f\', () => {})'
    ],
    sets: [
      's => s.add(() => {})'
    ]
  },
  'V8 takes no Proxy for an error, so it says by a tag what it is': {
    errors: [
      'e => require(\'node:util\').types.isNativeError(e)',
      'e => e[Symbol.toStringTag]'
    ]
  },
  'The message, stack and cause of an error are never enumerable': {
    errors: [
      ['e => { e.cause = [1] }', ['bare', 'many']]
    ]
  },
  'JavaScript has no way to see such a property being set, so there is none': {
    others: [
      'v => { v.own = 1 }',
      'v => Object.isExtensible(v)'
    ],
    maps: [
      'm => Object.isExtensible(m)',
      'm => { m.own = 1 }'
    ],
    sets: [
      's => { s.own = 1 }'
    ],
    dates: [
      'd => { d.own = 1 }'
    ]
  },
  'An array of a pool is its elements': {
    arrays: [
      'a => { a.total = 1 }',
      'a => { a[Symbol.for(\'s\')] = 1 }',
      'a => { a[4294967295] = 1 }',
      'a => { a[\'-1\'] = 1 }'
    ]
  },
  'A prototype with methods that write is between the object and JavaScript\'s own': {
    maps: [
      'm => Object.getPrototypeOf(m) === Map.prototype'
    ],
    sets: [
      's => Object.getPrototypeOf(s) === Set.prototype'
    ],
    dates: [
      'd => Object.getPrototypeOf(d) === Date.prototype'
    ],
    'typed arrays': [
      't => Object.getPrototypeOf(t.buffer) === ArrayBuffer.prototype'
    ]
  },
  'Its entries are not in V8\'s part of it, and only its methods see them': {
    maps: [
      ['m => Map.prototype.has.call(m, \'a\')', ['pairs']]
    ],
    sets: [
      ['s => Set.prototype.has.call(s, \'a\')', ['some']]
    ]
  }
}

const differences = Object.entries(reasons).flatMap(([reason, groups]) => Object.entries(groups).flatMap(([group, calls]) =>
  calls.map(each => Array.isArray(each) ? { reason, group, call: each[0], values: each[1] } : { reason, group, call: each })))

/** Calls that do the same as for plain values, but leave nothing in the pool. */
const lost = [
  { group: 'dates', call: 'd => { Date.prototype.setTime.call(d, 7); return d.getTime() }', reason: 'A method of the prototype of all Dates, called on one of a pool, knows V8\'s part of it only' },
  { group: 'others', values: ['pattern'], call: 'v => v.test?.(\'xabbb\')', reason: 'V8 writes lastIndex, and tells nobody: it begins at 0, as after structuredClone' },
  { group: 'others', values: ['pattern'], call: 'v => v.exec?.(\'xabbb abb\')?.index', reason: 'V8 writes lastIndex, and tells nobody: it begins at 0, as after structuredClone' }
]

module.exports = { differences, lost }
