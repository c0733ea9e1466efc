'use strict'

const { fork } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { median } = require('../report/statistics')
const { findDriver, findTrial } = require('./catalogue')

/**
 * @typedef {{ units: number, cpu?: number, wall?: number, figure?: number }} Sample cpu and wall in
 *   µs a unit, or another figure
 * @typedef {object} Result
 * @property {string} group
 * @property {string} trial
 * @property {string} unit
 * @property {string} driver
 * @property {boolean} ours
 * @property {boolean} yardstick
 * @property {boolean} [bare] it does no work, and tells of the machine
 * @property {boolean} counts in the geometric mean
 * @property {import('./catalogue').Trial['goal']} [goal]
 * @property {string} medium
 * @property {string} durability
 * @property {number | null} cpu median over the rounds, µs a unit
 * @property {number | null} wall
 * @property {number} [figure] median over the rounds, where it is no time
 * @property {Sample[]} samples
 * @property {string} [error]
 */

/**
 * Measures each pair in a process of its own. Drivers of one trial take turns, round by round,
 * so that a busy spell of the machine falls on all of them.
 *
 * @returns {Promise<Result[]>}
 */
async function runRounds (pairs, options) {
  const results = []
  for (const turn of byTrial(pairs)) {
    const group = turn.map(emptyResult)
    for (let round = 1; round <= options.rounds; round++) {
      for (const [index, pair] of turn.entries()) {
        if (!group[index].error) await measure(pair, group[index], round, options)
      }
    }
    group.forEach(settle)
    results.push(...group)
  }
  return results
}

function byTrial (pairs) {
  const turns = new Map()
  for (const pair of pairs) {
    const key = `${pair.trial} ${pair.medium}`
    turns.set(key, [...turns.get(key) ?? [], pair])
  }
  return turns.values()
}

function emptyResult (pair) {
  const trial = findTrial(pair.trial)
  const driver = findDriver(pair.driver)
  return {
    group: pair.group,
    trial: trial.name,
    unit: trial.unit,
    driver: driver.name,
    ours: Boolean(driver.ours),
    yardstick: Boolean(driver.yardstick),
    bare: driver.bare,
    counts: Boolean(trial.counts),
    goal: trial.goal,
    medium: pair.medium,
    durability: driver.media[pair.medium],
    cpu: null,
    wall: null,
    samples: []
  }
}

async function measure (pair, result, round, { scratch, log, profiles, ...work }) {
  const folder = scratch.folder(pair.medium)
  try {
    const { sample, profile } = await inChild({ ...pair, ...work, folder, profile: Boolean(profiles) })
    result.samples.push(sample)
    if (sample.figure !== undefined) return log(`${pair.title}, round ${round}: ${sample.figure.toFixed(2)} a ${result.unit}`)
    log(`${pair.title}, round ${round}: ${sample.cpu.toFixed(2)} µs CPU, ${sample.wall.toFixed(2)} µs wall a ${result.unit} (${sample.units})`)
    if (profile) keepProfile(profiles, result, round, profile)
  } catch (error) {
    result.error = error.message
    log(`${pair.title}: ${error.message}`)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function settle (result) {
  if (result.samples.length === 0) return
  if (result.samples[0].figure !== undefined) {
    result.figure = median(result.samples.map((sample) => sample.figure))
    return
  }
  result.cpu = median(result.samples.map((sample) => sample.cpu))
  result.wall = median(result.samples.map((sample) => sample.wall))
}

function keepProfile (folder, { group, trial, driver, medium }, round, profile) {
  fs.mkdirSync(folder, { recursive: true })
  const name = `${group} ${trial} ${driver} ${medium} ${round}`.replace(/[^\w.-]+/g, '-')
  fs.writeFileSync(path.join(folder, `${name}.cpuprofile`), JSON.stringify(profile))
}

/** @returns {Promise<{ sample: Sample, profile?: object }>} */
function inChild (job) {
  const { env } = findDriver(job.driver)
  return new Promise((resolve, reject) => {
    const child = fork(path.join(__dirname, 'child.js'), {
      execArgv: ['--expose-gc'],
      env: environment(job.medium, env),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced'
    })
    let answer = null
    let stderr = ''
    child.stderr.on('data', (text) => { stderr += text })
    child.on('message', (message) => { answer = message })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (answer?.sample) resolve(answer)
      else reject(new Error(answer?.error ?? `ended with ${signal ?? code}: ${stderr.slice(-1000)}`))
    })
    child.send(job)
  })
}

// Variables that a developer's shell has for tests must not turn a disk into persistent memory.
function environment (medium, env) {
  return { ...process.env, PMEM_IS_PMEM_FORCE: undefined, ...(medium === 'tmpfs' ? env : {}) }
}

module.exports = { runRounds }
