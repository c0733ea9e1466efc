'use strict'

const { couchCollation } = require('@potoroo/collation')
const { tooMuch } = require('./query-error')
const { within } = require('./within')

/**
 * @typedef {import('./syntax').Node} Node
 * @typedef {import('./syntax').Step} Step
 * @typedef {import('./evaluate').Scope} Scope
 * @typedef {(node: Node, scope: Scope) => any} ValueOf
 * @typedef {import('./work').Walk} Walk
 */

/** Values that a step makes. */
const MOST_VALUES = 1_000_000

/** Values and characters of a list or an object that is compared with others, and characters of a text. */
const HEAVIEST = 50_000
const LONGEST = 4000

/**
 * Applies a step to a value, element by element.
 *
 * @param {Step} step
 * @param {any} value
 * @param {Scope} scope
 * @param {ValueOf} valueOf
 * @returns {Walk}
 */
function * stepWalk (step, value, scope, valueOf) {
  switch (step.type) {
    case 'member': return memberOf(value, step.name)
    case 'index': return memberOf(value, valueOf(step.by, scope))
    case 'union': return step.by.map(by => memberOf(value, valueOf(by, scope)) ?? null)
    case 'values': return yield * valuesIn(value)
    case 'search': return yield * search(value, step.name)
    case 'filter': return yield * filter(step, step.deep ? yield * objectsIn(value) : value, scope, valueOf)
    case 'map': return yield * map(step, step.deep ? yield * objectsIn(value) : value, scope, valueOf)
    case 'sort': return yield * sort(step, value, scope, valueOf)
    case 'slice': return yield * slice(step, value)
  }
}

/** @param {any} value @param {any} name @returns {any} undefined where there is nothing */
function memberOf (value, name) {
  if (typeof value === 'string') return name === 'length' ? value.length : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value) ? name !== 'length' && !Number.isSafeInteger(name) : typeof name !== 'string' && typeof name !== 'number') return undefined
  return Object.hasOwn(value, name) ? value[name] : undefined
}

/** @param {any} value @returns {Walk} */
function * valuesIn (value) {
  if (Array.isArray(value)) return value
  const found = []
  if (typeof value === 'object' && value !== null) {
    for (const name of Object.keys(value)) {
      found.push(value[name])
      yield
    }
  }
  return found
}

/** @param {any} value @param {string} name @returns {Walk} */
function * search (value, name) {
  const found = []
  for (const each of within(value)) {
    yield
    const member = Array.isArray(each) ? undefined : memberOf(each, name)
    if (member !== undefined) found.push(member)
  }
  return found
}

/** @param {any} value @returns {Walk} */
function * objectsIn (value) {
  const found = []
  for (const each of within(value)) {
    yield
    if (!Array.isArray(each)) found.push(each)
  }
  return found
}

/** @param {import('./syntax').Filter} step @param {any} list @param {Scope} scope @param {ValueOf} valueOf @returns {Walk} */
function * filter ({ by, distinct }, list, scope, valueOf) {
  /** @type {any[]} */
  const found = []
  const known = new Set()
  if (!Array.isArray(list)) return found
  const inner = { ...scope }
  for (const each of list) {
    yield
    inner.current = each
    if (!valueOf(by, inner)) continue
    if (distinct) {
      const key = keyOf(each)
      if (known.has(key)) continue
      known.add(key)
    }
    found.push(each)
  }
  return found
}

/** The same for values that are the same. @param {any} value */
function keyOf (value) {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? `"${value}` : `${value}`
  assertLight(value)
  return JSON.stringify(value)
}

/** @param {any} value a list or an object @throws query_too_large */
function assertLight (value) {
  let left = HEAVIEST
  for (const each of within(value)) {
    for (const member of Array.isArray(each) ? each : Object.values(each)) left -= 1 + (typeof member === 'string' ? member.length : 0)
    if (left < 0) throw tooMuch('A list or an object is too large to be compared')
  }
}

/** @param {import('./syntax').Mapping} step @param {any} list @param {Scope} scope @param {ValueOf} valueOf @returns {Walk} */
function * map ({ by }, list, scope, valueOf) {
  /** @type {any[]} */
  const made = []
  if (!Array.isArray(list)) return made
  const inner = { ...scope }
  for (const each of list) {
    yield
    if (made.length === MOST_VALUES) throw tooMuch(`The query makes more than ${MOST_VALUES} values`)
    inner.current = each
    made.push(valueOf(by, inner) ?? null)
  }
  return made
}

/** @param {import('./syntax').Slice} step @param {any} list @returns {Walk} */
function * slice ({ start, end, step }, list) {
  /** @type {any[]} */
  const found = []
  if (!Array.isArray(list)) return found
  const [from, to] = [start ?? 0, end ?? list.length].map(at => at < 0 ? Math.max(0, at + list.length) : Math.min(list.length, at))
  for (let at = from; at < to; at += step) {
    yield
    found.push(list[at])
  }
  return found
}

/**
 * @typedef {{ value: any, keys: string[], place: any }} Sorted place: what decides if all keys are the same
 * @param {import('./syntax').Sort} step
 * @param {any} list
 * @param {Scope} scope
 * @param {ValueOf} valueOf
 * @returns {Walk}
 */
function * sort ({ keys }, list, scope, valueOf) {
  if (!Array.isArray(list)) return []
  /** @type {Sorted[]} */
  const rows = []
  for (const value of list) {
    yield
    rows.push({ value, keys: sortKeys(keys, value, scope, valueOf), place: rows.length })
  }
  const sorted = yield * inOrder(rows, comparison(keys, (a, b) => a - b))
  return sorted.map(({ value }) => value)
}

/** @param {import('./syntax').SortKey[]} keys @param {any} value @param {Scope} scope @param {ValueOf} valueOf */
function sortKeys (keys, value, scope, valueOf) { return keys.map(({ by }) => encoded(valueOf(by, { ...scope, current: value }))) }

/** @param {any} value nothing is null */
function encoded (value = null) {
  if (typeof value === 'string') return couchCollation.encode(value.slice(0, LONGEST))
  if (typeof value === 'object' && value !== null) assertLight(value)
  try {
    return couchCollation.encode(value)
  } catch (error) {
    if (error instanceof RangeError) throw tooMuch('A value is nested too deeply to sort by')
    throw error
  }
}

/**
 * The order of rows. Equal rows stay in their order, or come in the opposite one if the last key is descending, as rows of an
 * index that is read from its end.
 *
 * @param {import('./syntax').SortKey[]} keys
 * @param {(a: any, b: any) => number} comparePlaces
 * @returns {(a: Sorted, b: Sorted) => number}
 */
function comparison (keys, comparePlaces) {
  const directions = keys.map(({ descending }) => descending ? -1 : 1)
  const last = directions[directions.length - 1]
  return (a, b) => {
    for (let i = 0; i < keys.length; i++) if (a.keys[i] !== b.keys[i]) return a.keys[i] < b.keys[i] ? -directions[i] : directions[i]
    return comparePlaces(a.place, b.place) * last
  }
}

/** Rows that are sorted at once. */
const AT_ONCE = 512

/**
 * Sorts by merging.
 *
 * @param {Sorted[]} rows
 * @param {(a: Sorted, b: Sorted) => number} compare
 * @returns {Generator<void, Sorted[], void>}
 */
function * inOrder (rows, compare) {
  /** @type {Sorted[][]} */
  let runs = []
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    runs.push(rows.slice(at, at + AT_ONCE).sort(compare))
    for (let i = 0; i < AT_ONCE / 8; i++) yield
  }
  while (runs.length > 1) {
    const merged = []
    for (let i = 0; i < runs.length; i += 2) merged.push(i + 1 < runs.length ? yield * merge(runs[i], runs[i + 1], compare) : runs[i])
    runs = merged
  }
  return runs[0] ?? []
}

/** @param {Sorted[]} a @param {Sorted[]} b @param {(a: Sorted, b: Sorted) => number} compare @returns {Generator<void, Sorted[], void>} */
function * merge (a, b, compare) {
  const merged = []
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    merged.push(j === b.length || (i < a.length && compare(a[i], b[j]) <= 0) ? a[i++] : b[j++])
    if (merged.length % 8 === 0) yield
  }
  return merged
}

module.exports = { comparison, inOrder, memberOf, sortKeys, stepWalk }
