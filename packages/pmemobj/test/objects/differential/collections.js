'use strict'

// Calls that are done to a plain Map or Set, and to a persistent one.

const longKey = 'k'.repeat(300)

const maps = {
  empty: () => new Map(),
  pairs: () => new Map([['a', 1], ['b', { n: 2 }], [3, 'three'], [NaN, 'nan'], [0, 'zero'], [undefined, null], [true, 10n], [longKey, longKey]]),
  nested: () => new Map([['map', new Map([[1, new Set([1])]])], ['set', new Set(['a'])], ['list', [1, 2]]]),
  long: () => new Map(Array.from({ length: 100 }, (_, i) => [i, `v${i}`]))
}

const mapCalls = [
  m => m.size, m => m.get('a'), m => m.get('none'), m => m.get(NaN), m => m.get(-0), m => m.get(longKey), m => m.has('b'), m => m.has(undefined), m => m.has({}), m => [...m], m => [...m.keys()], m => [...m.values()], m => [...m.entries()], m => m.entries().next(), m => m.keys().next(),
  m => { const seen = []; m.forEach((value, key, map) => seen.push(key, value, map === m)); return seen }, m => m.forEach(), m => Array.from(m), m => Object.fromEntries(m), m => new Map(m), m => new Set(m.keys()), m => JSON.stringify(m), m => ({ ...m }), m => Object.keys(m), m => Reflect.ownKeys(m),
  m => m instanceof Map, m => Object.prototype.toString.call(m), m => m[Symbol.toStringTag], m => m.constructor === Map, m => Object.isExtensible(m), m => typeof m[Symbol.iterator], m => m[Symbol.iterator].name, m => m.entries()[Symbol.toStringTag], m => String(m), m => Object.getPrototypeOf(m) === Map.prototype,
  m => m.set('new', 1), m => m.set('a', 'other').get('a'), m => m.set(0, 'zero').get(-0), m => m.set(-0, 'minus').size, m => Object.is([...m.set(-0, 1).keys()].at(-1), 0), m => m.set(NaN, 1).size, m => m.set('deep', { list: [1] }).get('deep').list.push(2), m => m.set('self', m).get('self') === m, m => m.set('u').get('u'), m => m.set().size,
  m => m.delete('a'), m => m.delete('none'), m => m.delete(longKey), m => m.clear(), m => { m.delete('a'); m.set('a', 'last'); return [...m.keys()] }, m => { for (let i = 0; i < 70; i++) m.set(i, i); for (let i = 0; i < 60; i++) m.delete(i); return [...m.keys()] },
  m => { const key = { id: 1 }; m.set(key, 'by object'); return [m.get(key), m.has(key), m.has({ id: 1 })] }, m => { const seen = []; for (const [key] of m) { seen.push(key); if (seen.length < 5) m.set(`more ${seen.length}`, 1) } return seen }, m => { const seen = []; for (const [key] of m) { seen.push(key); m.delete(key) } return seen },
  m => { const seen = []; for (const [key] of m) { seen.push(key); m.clear() } return seen }, m => { const seen = []; m.forEach((_, key) => { seen.push(key); m.delete(key); if (seen.length < 9) m.set(key, 'again') }); return seen }, m => { const it = m.keys(); it.next(); m.clear(); m.set('after', 1); return [...it] }, m => { const it = m.values(); return [...it, ...it] },
  m => Map.prototype.get.call({}, 1), m => m.get.call({}, 1), m => m.set('f', () => {}), m => { m.own = 1 }, m => { m.size = 1 }, m => { Object.freeze(m) }, m => structuredClone(m), m => Map.groupBy === undefined ? 0 : Map.groupBy(m.keys(), key => typeof key), m => Map.prototype.has.call(m, 'a')
]

const sets = {
  empty: () => new Set(),
  some: () => new Set(['a', 1, NaN, 0, undefined, null, 10n, longKey, { n: 1 }]),
  long: () => new Set(Array.from({ length: 100 }, (_, i) => i * 3))
}

const setCalls = [
  s => s.size, s => s.has('a'), s => s.has(NaN), s => s.has(-0), s => s.has({ n: 1 }), s => s.has(longKey), s => [...s], s => [...s.keys()], s => [...s.values()], s => [...s.entries()], s => s.values().next(), s => { const seen = []; s.forEach((a, b, set) => seen.push(a, b, set === s)); return seen }, s => Array.from(s, x => [x]),
  s => new Set(s), s => JSON.stringify(s), s => ({ ...s }), s => Object.keys(s), s => Reflect.ownKeys(s), s => s instanceof Set, s => Object.prototype.toString.call(s), s => s[Symbol.toStringTag], s => s.constructor === Set, s => Object.getPrototypeOf(s) === Set.prototype, s => Math.max(...[...s].filter(Number.isFinite)),
  s => s.add('new'), s => s.add('a').size, s => s.add(NaN).size, s => Object.is([...s.add(-0)].find(x => x === 0), 0), s => s.add({ deep: [1] }).size, s => s.add(s).has(s), s => s.delete('a'), s => s.delete('none'), s => s.clear(), s => { s.delete('a'); s.add('a'); return [...s] }, s => { for (let i = 0; i < 70; i++) s.add(i); for (let i = 0; i < 65; i++) s.delete(i); return [...s] },
  s => { const seen = []; for (const x of s) { seen.push(x); if (seen.length < 4) s.add(`more ${seen.length}`) } return seen }, s => { const seen = []; for (const x of s) { seen.push(x); s.delete(x) } return seen }, s => { const it = s.values(); it.next(); s.clear(); s.add('after'); return [...it] }, s => { const [first, ...rest] = s; return [first, rest] },
  s => s.union?.(new Set([1, 'z'])), s => s.intersection?.(new Set([1, 'a'])), s => s.difference?.(new Set([1])), s => s.symmetricDifference?.(new Set([1, 'z'])), s => s.isSubsetOf?.(new Set([1])), s => s.isSupersetOf?.(new Set([1])), s => s.isDisjointFrom?.(new Set(['q'])), s => new Set([1, 'q']).union?.(s),
  s => s.has.call({}, 1), s => s.forEach(), s => s.add(() => {}), s => { s.own = 1 }, s => { s.size = 1 }, s => structuredClone(s), s => Set.prototype.has.call(s, 'a')
]

module.exports = { maps: { values: maps, calls: mapCalls }, sets: { values: sets, calls: setCalls } }
