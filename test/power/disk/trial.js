'use strict'

const { execFileSync, fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const seedrandom = require('seedrandom')
const { Cutter, MODES } = require('./cutter')
const { LoggedDisk, openPosition } = require('./logged-disk')
const { makeFileSystem, mountImage, unmount } = require('./mounts')

const program = path.join(__dirname, 'process.js')
/** Images of a trial that are kept. */
const KEPT = 3
const BYTES = 2 ** 31
const LOG_BYTES = 700 * 2 ** 20
/** Cuts that are tried at every write one after another, from the first on: while the database is made. */
const AT_FIRST = 0.2
/** Cuts while it grows. */
const AT_GROWTH = 0.3

/**
 * One life of a subject on a disk, and images of that disk after power cuts.
 *
 * @typedef {object} Trial
 * @property {string} subject
 * @property {'ext4' | 'xfs'} type
 * @property {string} seed
 * @property {number} seconds of load
 * @property {number} images
 * @property {boolean} [planted] has a fault that was planted: nothing of it is printed or kept
 * @property {Record<string, string>} [env] of the loading process
 */

/** @param {Trial} trial @param {string} folder for its files @param {string} keep where images go that show a fault */
async function runTrial (trial, folder, keep) {
  fs.mkdirSync(folder, { recursive: true })
  const { start, end, log, events } = await live(trial, folder)
  const random = seedrandom(trial.seed)
  const cutter = new Cutter(log, folder, BYTES)
  const result = { ...trial, env: undefined, writes: end - start, flushes: cutter.entries.slice(start).filter(({ flush }) => flush).length, images: 0, steps: 0, lost: 0, unmountable: 0, violations: /** @type {string[]} */ ([]) }
  const cuts = chooseCuts(trial.images, start, end, growthOf(events), random)[Symbol.iterator]()
  const next = () => {
    const { done, value } = cuts.next()
    if (done) return undefined
    const mode = MODES[Math.floor(random() * MODES.length)]
    const image = path.join(folder, `cut-${value}-${result.images++}`)
    cutter.cut(value, mode, random, image)
    fs.copyFileSync(image, `${image}.as-cut`, fs.constants.COPYFILE_FICLONE_FORCE)
    return { image, position: value, mode }
  }
  await Promise.all([0, 1].map(i => examine(trial, path.join(folder, `mount-${i}`), events, next, result, keep)))
  cutter.close()
  fs.rmSync(folder, { recursive: true })
  return result
}

/** Lets the subject work on a new disk. */
async function live ({ subject, type, seed, seconds, env }, folder) {
  const disk = await LoggedDisk.start(folder, BYTES)
  const mount = path.join(folder, 'mount')
  const events = path.join(folder, 'events')
  await makeFileSystem(type, disk.path)
  await mountImage(type, disk.path, mount)
  const position = openPosition(disk.log)
  const start = position()
  const child = fork(program, ['load', subject, mount, disk.log, events, seed, String(seconds), String(LOG_BYTES)], { env: { ...process.env, ...env } })
  const [code, signal] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the load on ${subject} ended with ${code ?? signal}`)
  const end = position()
  await unmount(mount)
  await disk.stop()
  return { start, end, log: disk.log, events }
}

/** Positions in order: one after another from the start, those at which the storage grew, and any. */
function chooseCuts (count, start, end, growth, random) {
  const within = ([from, to]) => from + 1 + Math.floor(random() * (to - from))
  const cuts = Array.from({ length: count }, (_, i) => {
    if (i < count * AT_FIRST) return start + 1 + i
    if (i < count * (AT_FIRST + AT_GROWTH) && growth.length > 0) return within(growth[i % growth.length])
    return within([start, end])
  })
  return cuts.map(cut => Math.min(cut, end)).sort((a, b) => a - b)
}

/** Ranges of positions at which the storage grew. */
function growthOf (events) {
  const lines = fs.readFileSync(events, 'utf8').split('\n').slice(0, -1)
  return lines.flatMap((line, i) => line.includes('"grown"') ? [[JSON.parse(lines[Math.max(i - 1, 0)]).at, JSON.parse(line).at]] : [])
}

/** Mounts one image after another and lets a process look at it. */
async function examine (trial, mount, events, next, result, keep) {
  let verifier
  for (let cut = next(); cut !== undefined; cut = next()) {
    verifier ??= fork(program, ['verify'])
    const outcome = await look(verifier, trial, mount, events, cut)
    if (outcome.ended) verifier = undefined
    if (outcome.unmountable) result.unmountable++
    result.steps += outcome.steps ?? 0
    result.lost = Math.max(result.lost, outcome.lost ?? 0)
    if (outcome.violation) report(outcome.violation, trial, cut, result, keep, events)
    for (const file of [cut.image, `${cut.image}.as-cut`]) fs.rmSync(file)
  }
  verifier?.kill()
}

async function look (verifier, { subject, type }, mount, events, { image, position }) {
  try {
    await mountImage(type, image, mount)
  } catch (error) {
    return { unmountable: true, violation: `the file system does not mount: ${error.stderr}` }
  }
  verifier.send({ kind: subject, folder: mount, events, position })
  const [outcome, signal] = await answer(verifier)
  const ended = typeof outcome !== 'object' || outcome === null
  await unmount(mount)
  return ended ? { ended, violation: `the process ended: ${outcome ?? signal}` } : outcome
}

/** Returns what a process answers, or how it ends. */
async function answer (child) {
  const heard = new AbortController()
  try {
    return await Promise.race(['message', 'exit'].map(event => once(child, event, { signal: heard.signal })))
  } finally {
    heard.abort()
  }
}

/** Says it, and keeps the first images with all that `npm run test:power -- --look` needs. */
function report (violation, { subject, type, seed, planted }, { image, position, mode }, result, keep, events) {
  const name = `${subject}-${type}-${seed}-${position}-${mode.replaceAll(' ', '-')}`
  result.violations.push(`${name}: ${violation}`)
  if (planted) return
  console.log(`\n  ${name}: ${violation}`)
  if (result.violations.length > KEPT) return
  const folder = path.join(keep, name)
  fs.mkdirSync(folder, { recursive: true })
  execFileSync('cp', ['--sparse=always', `${image}.as-cut`, path.join(folder, 'image')])
  fs.copyFileSync(events, path.join(folder, 'events'))
  fs.writeFileSync(path.join(folder, 'cut.json'), JSON.stringify({ subject, type, position, violation }))
  console.log(`  kept in ${folder}`)
}

module.exports = { runTrial }
