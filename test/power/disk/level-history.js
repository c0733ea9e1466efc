'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')

let latest = { known: '', history: /** @type {any} */ (undefined) }

/** The writes that a level was asked for and acknowledged, from level-load.js; each event with `at`, the disk's position, and `time` in ms.
 * `base` may be the first: what was there before. */
class LevelHistory {
  #events

  /** @param {Array<{ at: number, time: number }>} events */
  constructor (events) { this.#events = /** @type {any[]} */ (events) }

  /** Reads a file of lines of JSON, once. @param {string} file */
  static read (file) {
    const known = `${file} ${fs.statSync(file).mtimeMs}`
    if (known !== latest.known) latest = { known, history: new LevelHistory(fs.readFileSync(file, 'utf8').split('\n').slice(0, -1).map(line => JSON.parse(line))) }
    return latest.history
  }

  /** Whether something was told before a position. */
  has (word, position) {
    return this.#events.some(event => event[word] !== undefined && event.at <= position)
  }

  /**
   * Demands that a level holds, of each writer, all steps up to one: not before the last that has to be there, and not
   * after the last that was begun. A step that came after another one was acknowledged is not there without it.
   *
   * @param {Map<string, string>} contents key → hash
   * @param {number} position of the cut
   * @param {number} grace ms: how long ago a step was acknowledged that may be lost
   * @returns {{ steps: number, lost: number }} steps that are there, and the age of the oldest acknowledged one that is not, in ms
   */
  verify (contents, position, grace) {
    const before = this.#events.filter(({ at }) => at <= position)
    const cutAt = before.at(-1)?.time ?? 0
    const owed = before.filter(event => event.ops === undefined && event.writer !== undefined)
    const base = groups(before.find(event => event.base !== undefined)?.base ?? [])
    const there = groups(contents)
    const writers = new Set([...before.map(event => event.writer).filter(Boolean), ...base.keys()])
    for (const [writer, { size }] of there) assert.ok(writers.has(writer), `${writer} has written nothing, and ${size} keys are there`)
    const found = new Map()
    for (const writer of writers) {
      const needed = lastStep(owed.filter(event => event.writer === writer && (grace === 0 || event.time <= cutAt - grace)))
      const steps = before.filter(event => event.writer === writer && event.ops !== undefined)
      found.set(writer, this.#find(writer, new Map(base.get(writer)), steps, there.get(writer) ?? new Map(), needed))
    }
    this.#demandOrder(before, found)
    const lost = owed.filter(event => event.step > found.get(event.writer).last).map(({ time }) => cutAt - time)
    return { steps: [...found.values()].reduce((sum, { last }) => sum + last, 0), lost: Math.max(0, ...lost) }
  }

  /** The first and the last step of a writer whose outcome is what is there: a clear may have found nothing to remove. */
  #find (writer, state, steps, there, needed) {
    const mark = `${writer}!mark`
    let last = same(state, there) ? 0 : -1
    let first = last
    let nearest = 'no step has left what is there'
    for (const { step, ops } of steps) {
      for (const op of ops) apply(state, op)
      if (same(state, there)) {
        if (last !== step - 1) first = step
        last = step
      } else if (state.get(mark) === there.get(mark)) nearest = `step ${step} is there by its mark, but ${difference(state, there)}`
    }
    assert.ok(last >= needed, `${writer}: acknowledged up to step ${needed}, found ${last}; ${nearest}`)
    return { first, last }
  }

  #demandOrder (before, found) {
    const acknowledged = new Map()
    for (const { writer, step, ops } of before) {
      if (writer === undefined) continue
      if (ops === undefined) acknowledged.set(writer, step)
      else if (step <= found.get(writer).first) {
        for (const [other, last] of acknowledged) assert.ok(last <= found.get(other).last, `${writer}'s step ${step} is there, and ${other}'s ${last}, which was acknowledged before it, is not`)
      }
    }
  }
}

function lastStep (events) {
  return Math.max(0, ...events.map(({ step }) => step))
}

/** Contents by writer. */
function groups (contents) {
  const byWriter = new Map()
  for (const [key, hash] of contents) {
    const writer = /^[wg]\d+/.exec(key)?.[0] ?? key
    if (!byWriter.has(writer)) byWriter.set(writer, new Map())
    byWriter.get(writer).set(key, hash)
  }
  return byWriter
}

function apply (state, [key, value, clear]) {
  if (clear !== undefined) for (const other of state.keys()) if (other >= key && other < value) state.delete(other)
  if (clear !== undefined) return
  if (value === undefined) state.delete(key)
  else state.set(key, value)
}

function same (a, b) {
  if (a.size !== b.size) return false
  for (const [key, hash] of a) if (b.get(key) !== hash) return false
  return true
}

function difference (expected, there) {
  const keys = [...new Set([...expected.keys(), ...there.keys()])].filter(key => expected.get(key) !== there.get(key))
  return `${keys.length} keys differ: ${keys.slice(0, 5).map(key => `${key} ${there.has(key) ? expected.has(key) ? 'is another' : 'is too many' : 'is missing'}`).join(', ')}`
}

module.exports = { LevelHistory }
