'use strict'

const fc = require('fast-check')
const { Builder, key, valueOf } = require('./values')
const { isObject } = require('./graph')

/**
 * A step of a program is data: what fast-check makes, shrinks and prints. `run` does it in a world,
 * a pool or its model, and gives what it gave: an object, or a primitive.
 *
 * @typedef {{ type: string, [name: string]: any }} Step
 */

const at = fc.nat(50)
const index = fc.integer({ min: -2, max: 45 })
const name = fc.constantFrom('map 1', 'map 2')
const entryKey = fc.constantFrom('a', 'b', 'c', 'key', 'k'.repeat(300))
const entryValue = fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom(300, 6000).map(length => 'v'.repeat(length)))

const one = (world, at, ...kinds) => {
  const objects = world.objects(...kinds)
  return objects[at % objects.length]
}
const make = (world, value) => new Builder(world.objects()).build(value)

/** The error that the program throws to undo a transaction. */
class Undo extends Error {}

const runs = {
  root: (world, { value }) => { world.root = make(world, value) },
  assign: (world, { at, key, value }) => {
    const object = one(world, at, 'Object')
    if (object !== undefined) object[key] = make(world, value)
  },
  remove: (world, { at, key }) => {
    const object = one(world, at, 'Object')
    return object === undefined ? undefined : delete object[key]
  },
  store: (world, { at, index, value }) => {
    const array = one(world, at, 'Array')
    if (array !== undefined) array[Math.abs(index)] = make(world, value)
  },
  discard: (world, { at, index }) => {
    const array = one(world, at, 'Array')
    return array === undefined ? undefined : delete array[Math.abs(index)]
  },
  length: (world, { at, length }) => {
    const array = one(world, at, 'Array')
    if (array !== undefined) array.length = length
  },
  method: (world, { at, kind, method, values }) => {
    const object = one(world, at, kind)
    if (object === undefined) return undefined
    const given = object[method](...values.map(value => make(world, value)))
    return given === object ? 'itself' : given
  },
  move: (world, { from, name, to, key }) => {
    const [source, target] = [one(world, from, 'Object'), one(world, to, 'Object')]
    if (source === undefined || !Object.hasOwn(source, name)) return
    world.transaction(() => {
      const value = source[name]
      delete source[name]
      target[key] = value
    })
  },
  bytes: (world, { at, offset, bytes }) => {
    const buffer = one(world, at, 'ArrayBuffer')
    const from = Math.min(offset, buffer?.byteLength ?? 0)
    const fitting = bytes.slice(0, Math.max(0, (buffer?.byteLength ?? 0) - from))
    if (fitting.length > 0) world.setBytes(buffer, from, fitting)
  },
  transaction: (world, { steps, fails }) => {
    try {
      return world.transaction(() => {
        for (const step of steps) run(world, step)
        if (fails) throw new Undo()
        return steps.length
      })
    } catch (error) {
      if (error instanceof Undo) return 'undone'
      throw error
    }
  },
  hold: (world, { value }) => {
    const made = world.create(make(world, value))
    if (isObject(made)) world.held.push(made)
  },
  keep: (world, { at }) => {
    const object = one(world, at)
    if (object !== undefined) world.held.push(object)
  },
  release: (world, { at }) => { world.held.splice(at % (world.held.length + 1), 1) },
  openMap: (world, { name }) => world.openMap(name),
  dropMap: (world, { name }) => {
    if (world.mapNames().includes(name)) world.dropMap(name)
  },
  batch: (world, { operations }) => {
    const known = world.mapNames()
    const possible = operations.filter(({ name }) => known.includes(name))
    if (possible.length > 0) world.batch(possible)
  },
  clearMap: (world, { name }) => {
    if (world.mapNames().includes(name)) world.clearMap(name)
  },
  collect: world => world.collect(),
  flush: world => world.flush(),
  reopen: world => world.forget()
}

/** @param {Step} step */
function run (world, step) {
  return runs[step.type](world, step)
}

const step = (type, fields = {}) => fc.record({ type: fc.constant(type), ...fields })
const operation = fc.record({ name, key: entryKey, value: fc.option(entryValue, { nil: undefined, freq: 4 }) })

const bytes = [{ weight: 4, arbitrary: step('bytes', { at, offset: fc.nat(100), bytes: fc.array(fc.nat(255), { minLength: 1, maxLength: 80 }) }) }]
const mapSteps = [
  { weight: 10, arbitrary: step('batch', { operations: fc.array(operation, { minLength: 1, maxLength: 6 }) }) }
]
const mapStepsAlone = [
  { weight: 3, arbitrary: step('openMap', { name }) },
  { weight: 1, arbitrary: step('dropMap', { name }) },
  { weight: 1, arbitrary: step('clearMap', { name }) }
]
const endings = [
  { weight: 1, arbitrary: step('flush') },
  { weight: 2, arbitrary: step('reopen') }
]

/** Steps of objects and arrays, and of the other types that there are. */
function objectSteps (types) {
  const value = valueOf(types)
  const method = (kind, method, ...values) => step('method', { at, kind: fc.constant(kind), method: fc.constant(method), values: fc.tuple(...values) })
  const count = fc.integer({ min: 0, max: 5 })
  const changes = [
    method('Array', 'push', value), method('Array', 'push', value, value), method('Array', 'pop'), method('Array', 'shift'), method('Array', 'unshift', value),
    method('Array', 'splice', index, count, value), method('Array', 'splice', index, count), method('Array', 'sort'), method('Array', 'reverse'),
    method('Array', 'fill', value, index, index), method('Array', 'copyWithin', index, index, index), step('store', { at, index, value }),
    step('discard', { at, index }), step('length', { at, length: fc.nat(45) })
  ]
  if (types.includes('Map')) changes.push(method('Map', 'set', value, value), method('Map', 'set', value, value), method('Map', 'delete', value), method('Map', 'clear'))
  if (types.includes('Set')) changes.push(method('Set', 'add', value), method('Set', 'add', value), method('Set', 'delete', value), method('Set', 'clear'))
  if (types.includes('Date')) changes.push(method('Date', 'setTime', fc.integer()), method('Date', 'setUTCFullYear', fc.nat(3000)))
  return [
    { weight: 2, arbitrary: step('root', { value }) },
    { weight: 14, arbitrary: step('assign', { at, key, value }) },
    { weight: 4, arbitrary: step('remove', { at, key }) },
    { weight: 3, arbitrary: step('move', { from: at, name: key, to: at, key }) },
    { weight: 3, arbitrary: step('hold', { value }) },
    { weight: 1, arbitrary: step('keep', { at }) },
    { weight: 1, arbitrary: step('release', { at }) },
    ...changes.map(arbitrary => ({ weight: 1, arbitrary })),
    ...types.includes('bytes') ? bytes : []
  ]
}

function transactionsOf (steps) {
  const { transaction } = fc.letrec(tie => ({
    transaction: step('transaction', {
      steps: fc.array(fc.oneof({ maxDepth: 2 }, ...steps, { weight: 3, arbitrary: tie('transaction') }), { maxLength: 6 }),
      fails: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true))
    })
  }))
  return transaction
}

/** Something of all types to begin with. */
function beginning (types) {
  const entries = {
    Object: { is: 'object', entries: [['a', 1], ['b', { is: 'object', entries: [] }]] },
    Array: { is: 'array', items: [[1], null, ['two'], [{ is: 'around', up: 1 }]], padding: 0 },
    Map: { is: 'map', entries: [['a', 1], [{ is: 'around', up: 0 }, 'b']] },
    Set: { is: 'set', items: [1, 'a'] },
    Date: { is: 'date', time: 0 },
    bytes: { is: 'Uint8Array', bytes: [1, 2, 3, 4, 5, 6, 7, 8, 9], offset: 8 }
  }
  const chosen = Object.entries(entries).filter(([type]) => type === 'Array' || types.includes(type))
  return fc.record({ type: fc.constant('root'), value: fc.constant({ is: 'object', entries: chosen }) })
}

/**
 * @param {object} options
 * @param {string[]} [options.types] 'Object' (and Array), 'Map', 'Set', 'Date', 'bytes', 'maps' in
 *   transactions, 'collect'; none: maps of the pool alone
 * @param {number} [options.steps] at most
 * @returns {fc.Arbitrary<Step[]>}
 */
function programs ({ types = [], steps = 30 }) {
  if (types.length === 0) return fc.array(fc.oneof(...mapSteps, ...mapStepsAlone, ...endings), { maxLength: steps, size: 'max' })
  const inner = [...types.includes('maps') ? mapSteps : [], ...objectSteps(types)]
  const collect = types.includes('collect') ? [{ weight: 2, arbitrary: step('collect') }] : []
  const transactions = [{ weight: 8, arbitrary: transactionsOf(inner) }]
  if (types.includes('bytes')) transactions.push({ weight: 5, arbitrary: transactionsOf(bytes) })
  const arbitrary = fc.oneof(...objectSteps(types), ...mapSteps, ...mapStepsAlone, ...endings, ...collect, ...transactions)
  return fc.tuple(beginning(types), fc.array(arbitrary, { maxLength: steps, size: 'max' })).map(([first, others]) => [first, ...others])
}

/** The same, and steps in the middle of which power fails for good. */
function powerPrograms (options) {
  const crash = step => fc.record({ type: fc.constant('crash'), step: fc.constant(step), choice: fc.nat(100) })
  return fc.noBias(programs(options)).chain(steps => fc.tuple(...steps.map(step => fc.oneof({ weight: 12, arbitrary: fc.constant(step) }, crash(step)))))
}

module.exports = { powerPrograms, programs, run }
