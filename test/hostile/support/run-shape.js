'use strict'

const assert = require('node:assert/strict')
const { setTimeout } = require('node:timers/promises')
const { Subject } = require('./subject')

/**
 * An attack of one shape.
 *
 * @typedef {object} Shape
 * @property {string} name
 * @property {string} what it does, and what has to hold
 * @property {{ short: any, long: any }} sizes of the attack: in seconds, and in minutes; `bounds` of one take the place of the shape's
 * @property {Bounds} bounds
 * @property {Parameters<typeof Subject.start>[0]} [server]
 * @property {(subject: Subject, size: any) => Promise<void>} [prepare] what is not measured
 * @property {(subject: Subject, size: any) => Promise<void | Record<string, string | number>>} attack asserts that answers are right; gives
 *   figures of its own
 * @property {RegExp} [faults] lines of the log that it may cause
 *
 * @typedef {object} Bounds
 * @property {number} stall milliseconds of CPU in which the server hears nobody else
 * @property {number} peak MiB of memory at most above that before
 * @property {number} left MiB of memory above that before when it is over
 *
 * @typedef {{ stall: number, peak: number, left: number, seconds: number, statuses: Map<number, number>, own: Record<string, string | number> }} Figures
 */

const MEBIBYTE = 2 ** 20

/**
 * Attacks a server of its own, and measures it.
 *
 * @param {Shape} shape
 * @param {'short' | 'long'} size
 * @param {{ bounded?: boolean }} [options] bounded: whether the figures have to be within the bounds, which
 *   other work on the machine may push them out of
 * @returns {Promise<Figures>}
 * @throws AssertionError where an answer is wrong, a bound does not hold, or the server has a fault
 */
async function runShape (shape, size, { bounded = true } = {}) {
  const subject = await Subject.start(shape.server)
  try {
    const bounds = { ...shape.bounds, ...shape.sizes[size].bounds }
    if (bounded) await warm(subject)
    const figures = await measure(subject, shape, shape.sizes[size], { bounds, patience: bounded ? CALM : 0 })
    if (bounded) checkBounds(bounds, figures)
    checkFaults(subject, shape)
    return figures
  } finally {
    await subject.stop()
  }
}

/** @returns {Promise<Figures>} */
async function measure (subject, shape, size, { bounds, patience }) {
  await shape.prepare?.(subject, size)
  const { anonymous, threads } = await subject.call('figures')
  await subject.call('reset')
  subject.statuses.clear()
  const start = performance.now()
  const own = await shape.attack(subject, size) ?? {}
  const seconds = (performance.now() - start) / 1000
  const statuses = new Map(subject.statuses)
  assert.equal((await subject.ask('GET', '/_up')).status, 200)
  const { stall, peak, anonymous: left } = await calm(subject, { threads, most: anonymous + bounds.left * MEBIBYTE }, patience)
  return { stall, peak: (peak - anonymous) / MEBIBYTE, left: (left - anonymous) / MEBIBYTE, seconds, statuses, own }
}

/** Milliseconds in which threads that have nothing to do end, and freed memory is given back; without bounds nobody waits for them. */
const CALM = 10_000

/** The figures once threads of functions have ended, which keep their memory while they are idle, and the server has given back what it freed. */
async function calm (subject, { threads, most }, patience) {
  const start = performance.now()
  let figures
  do {
    await setTimeout(100)
    figures = await subject.call('figures')
  } while ((figures.threads > threads || figures.anonymous > most) && performance.now() - start < patience)
  return figures
}

/** Loads and compiles with the first requests: that is no attack's cost. */
async function warm (subject) {
  await subject.done('PUT', '/warm')
  for (let i = 0; i < 50; i++) {
    await subject.done('PUT', `/warm/d${i}`, { i })
    await subject.done('GET', `/warm/d${i}`)
  }
  await subject.done('PUT', '/warm/_design/d', { views: { v: { map: 'function (doc) { emit(doc.i) }' } }, filters: { f: 'function () { return true }' } })
  await subject.done('GET', '/warm/_design/d/_view/v?include_docs=true')
  await subject.done('GET', '/warm/_changes?filter=d/f&include_docs=true')
  await subject.done('POST', '/warm/_find', { selector: { i: { $gt: 3 } } })
}

function checkBounds (bounds, figures) {
  for (const name of /** @type {const} */ (['stall', 'peak', 'left'])) {
    assert.ok(figures[name] <= bounds[name], `${name} is ${figures[name].toFixed(1)}, more than ${bounds[name]}: ${inWords(figures)}`)
  }
}

function checkFaults (subject, { faults = /$^/ }) {
  assert.deepEqual(subject.faults.filter(line => !faults.test(line)), [], subject.output.slice(-5000))
}

/** @param {Figures} figures @returns {string} */
function inWords ({ stall, peak, left, seconds, statuses, own }) {
  const answers = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status} × ${count}`)
  return [
    `longest stall ${stall.toFixed(0)} ms of CPU`, `memory +${peak.toFixed(0)} MiB at most, +${left.toFixed(0)} MiB after it`,
    answers.join(', '), ...Object.entries(own).map(([name, value]) => `${name} ${value}`), `${seconds.toFixed(1)} s`
  ].join('; ')
}

module.exports = { inWords, runShape }
