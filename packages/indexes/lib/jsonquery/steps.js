'use strict'

const { couchCollation } = require('@potoroo/collation')
const { namesOf } = require('@potoroo/document-store')
const { tooMuch } = require('./query-error')
const { Seen } = require('./seen')
const { membersOf, within } = require('./within')

/**
 * @typedef {import('./syntax').Node} Node
 * @typedef {import('./syntax').Step} Step
 * @typedef {import('./evaluate').Scope} Scope
 * @typedef {(node: Node, scope: Scope) => any} ValueOf
 * @typedef {import('./work').Walk} Walk
 */

/** Values that a step makes. */
const MOST_VALUES = 1_000_000

/** Values, characters and levels of a list or an object that is compared with others, and characters of a text. */
const HEAVIEST = 20_000
const DEEPEST = 1000
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
    case 'union': return union(step, value, scope, valueOf)
    case 'values': return yield * valuesIn(value, scope)
    case 'search': return yield * search(value, step.name, scope)
    case 'filter': return yield * filter(step, step.deep ? yield * objectsIn(value, scope) : value, scope, valueOf)
    case 'map': return yield * map(step, step.deep ? yield * objectsIn(value, scope) : value, scope, valueOf)
    case 'sort': return yield * sort(step, value, scope, valueOf)
    case 'slice': return yield * slice(step, value, scope)
  }
}

/** @param {any} value @param {any} name @returns {any} undefined where there is nothing */
function memberOf (value, name) {
  if (typeof value === 'string') return name === 'length' ? value.length : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value) ? name !== 'length' && !Number.isSafeInteger(name) : typeof name !== 'string' && typeof name !== 'number') return undefined
  return Object.hasOwn(value, name) ? value[name] : undefined
}

/** @param {import('./syntax').Union} step @param {any} value @param {Scope} scope @param {ValueOf} valueOf */
function union ({ by }, value, scope, valueOf) {
  scope.work.make(3 + by.length)
  return by.map(each => memberOf(value, valueOf(each, scope)) ?? null)
}

/** @param {any} value @param {Scope} scope @returns {Walk} */
function * valuesIn (value, { work }) {
  if (Array.isArray(value)) return value
  const found = []
  if (typeof value === 'object' && value !== null) {
    for (const name of namesOf(value)) {
      found.push(value[name])
      work.make(1)
      yield
    }
  }
  return found
}

/** @param {any} value @param {string} name @param {Scope} scope @returns {Walk} */
function * search (value, name, { work }) {
  const found = []
  for (const each of within(value)) {
    yield
    const member = Array.isArray(each) ? undefined : memberOf(each, name)
    if (member === undefined) continue
    found.push(member)
    work.make(1)
  }
  return found
}

/** @param {any} value @param {Scope} scope @returns {Walk} */
function * objectsIn (value, { work }) {
  const found = []
  for (const each of within(value)) {
    yield
    if (each === null || Array.isArray(each)) continue
    found.push(each)
    work.make(1)
  }
  return found
}

/** @param {import('./syntax').Filter} step @param {any} list @param {Scope} scope @param {ValueOf} valueOf @returns {Walk} */
function * filter ({ by, distinct }, list, scope, valueOf) {
  /** @type {any[]} */
  const found = []
  const seen = new Seen()
  if (!Array.isArray(list)) return found
  const inner = { ...scope }
  for (const each of list) {
    yield
    inner.current = each
    if (!valueOf(by, inner)) continue
    if (distinct) {
      scope.work.spend(seen.cost / 4)
      if (!seen.add(keyOf(each, scope))) continue
      scope.work.make(4)
    }
    found.push(each)
    scope.work.make(1)
  }
  return found
}

/** The same for values that are the same. @param {any} value @param {Scope} scope */
function keyOf (value, { work }) {
  if (typeof value === 'string') {
    work.spendText(value.length)
    work.make(value.length / 16)
    return `"${value}`
  }
  if (typeof value !== 'object' || value === null) return `${value}`
  work.make(weightOf(value, work) / 4)
  return JSON.stringify(value)
}

/** @param {any} value a list or an object @param {import('./work').Work} work @throws query_too_large */
function weightOf (value, work) {
  let weight = 0
  for (const each of within(value, DEEPEST)) {
    if (each === null) continue
    for (const member of membersOf(each)) {
      weight += 1 + (typeof member === 'string' ? member.length : 0)
      if (weight > HEAVIEST) throw tooMuch('A list or an object is too large to be compared')
    }
  }
  work.spend(weight / 2)
  return weight
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
    scope.work.make(1)
    made.push(valueOf(by, inner) ?? null)
  }
  return made
}

/** @param {import('./syntax').Slice} step @param {any} list @param {Scope} scope @returns {Walk} */
function * slice ({ start, end, step }, list, { work }) {
  /** @type {any[]} */
  const found = []
  if (!Array.isArray(list)) return found
  const [from, to] = [start ?? 0, end ?? list.length].map(at => at < 0 ? Math.max(0, at + list.length) : Math.min(list.length, at))
  for (let at = from; at < to; at += step) {
    yield
    work.make(1)
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
    const row = { value, keys: sortKeys(keys, value, scope, valueOf), place: rows.length }
    scope.work.make(3 + sizeOf(row.keys) / 16)
    rows.push(row)
  }
  const sorted = yield * inOrder(rows, comparison(keys, (a, b) => a - b))
  return sorted.map(({ value }) => value)
}

/** @param {import('./syntax').SortKey[]} keys @param {any} value @param {Scope} scope @param {ValueOf} valueOf */
function sortKeys (keys, value, scope, valueOf) { return keys.map(({ by }) => encoded(valueOf(by, { ...scope, current: value }) ?? null, scope.work)) }

/** @param {string[]} keys */
function sizeOf (keys) { return keys.reduce((sum, { length }) => sum + length, 0) }

/** @param {any} value @param {import('./work').Work} work */
function encoded (value, work) {
  if (typeof value === 'string') {
    work.spend(Math.min(value.length, LONGEST) / 16)
    return couchCollation.encode(value.slice(0, LONGEST))
  }
  if (typeof value === 'object' && value !== null) weightOf(value, work)
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

module.exports = { comparison, inOrder, memberOf, sizeOf, sortKeys, stepWalk }
