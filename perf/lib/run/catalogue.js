'use strict'

const GROUPS = ['level', 'objects', 'pouchdb', 'http']

/**
 * @typedef {object} Trial one thing that is measured; a row of `trials/GROUP.js`
 * @property {string} name
 * @property {string} unit what one unit of work is called
 * @property {number} size entries, or documents, in the database before
 * @property {number} [step] units that one call of `run` does
 * @property {number} [most] end after this number of units, warm-up included, though time is left
 * @property {boolean} [counts] it counts in the geometric mean of the group's table
 * @property {boolean} [bare] a unit is one request, which a bare node:http can answer, too
 * @property {boolean} [durable] it writes, so it is also measured on a disk
 * @property {string} [needs] what a driver must have, or the pair is left out: a method, `files`, or another
 *   word of its `lacks`
 * @property {{ most?: number, times?: number, than?: string, couchdb?: number, reference?: number }} [goal] of ours: µs of CPU time a
 *   unit at most, in the place of persistent memory; how many times as fast as each durable peer, or as one.
 *   `couchdb`: µs that a CouchDB took once, or NaN where nobody measured it; the trial is in the table of goals.
 *   `reference`: µs that a bare node:http took for this trial on the machine that the goals were set on
 * @property {'bytes'} [figure] `run` is called once and returns a number of these for each unit,
 *   in the place of a time. The database is closed by `prepare`
 * @property {(subject: any, options: { size: number, folder: string, driver: string, reopen: () => Promise<any> }) => Promise<any>} prepare
 *   fills the database, untimed, and gives what `run` works on. `driver`: its name, with the group. A trial
 *   that opens the database again keeps it as `current` of what it gives
 * @property {(state: any, start: number, step: number) => Promise<void>} [ready] makes what the next
 *   `run` needs; it is not timed
 * @property {(state: any, start: number, step: number) => Promise<number | void>} run does units
 *   [start, start + step); returns how many it did where that was another number
 *
 * @typedef {object} Driver what it is measured on; a row of `drivers/GROUP.js`
 * @property {string} name
 * @property {boolean} [ours] a part of this repository, and not a peer
 * @property {boolean} [yardstick] ratios say how many times as fast as this one the others are
 * @property {boolean} [bare] it does no work, and so tells how fast the machine is; only run for goals
 * @property {() => string | undefined} [missing] what has to be done before it can run here
 * @property {Record<string, string>} media the media it runs on (`tmpfs`, `disk`), each with
 *   what an acknowledged write survives there
 * @property {string[]} [lacks] the methods of its group's interface that it does not have; `files`
 *   where nothing is left when it is closed
 * @property {Record<string, string>} [env] environment of its process, on tmpfs
 * @property {(folder: string) => Promise<any>} [open] gives the database (with a `close` method)
 * @property {(options: { folder: string, port: number }) => Promise<{ url: string, close: () => Promise<void> }>} [serve]
 *   for HTTP: starts the server, in a process of its own
 * @property {() => Promise<any>} [connect] for HTTP: gives a server that runs already
 *
 * @typedef {object} Pair
 * @property {string} group
 * @property {string} trial its name, with the group: `level/get`
 * @property {string} driver its name, with the group
 * @property {string} medium
 * @property {string} title
 */

/** @returns {Trial[]} a group's, in the order in which they run */
function trialsOf (group) { return require(`../../trials/${group}`) }

/** @returns {Driver[]} a group's, in the order in which they take turns */
function driversOf (group) { return require(`../../drivers/${group}`) }

/** @param {string} name with the group @returns {Trial} */
function findTrial (name) { return find(trialsOf, name) }

/** @param {string} name with the group @returns {Driver} */
function findDriver (name) { return find(driversOf, name) }

function find (listOf, fullName) {
  const [group] = fullName.split('/', 1)
  const name = fullName.slice(group.length + 1)
  const found = listOf(group).find((each) => each.name === name)
  if (found === undefined) throw new Error(`There is no ${fullName}`)
  return found
}

/**
 * Every trial with every driver of its group: trial by trial, so that drivers which are to be
 * compared run next to each other.
 *
 * @param {{ only: RegExp, media: string[], goals?: boolean }} selection goals: only trials in the table of
 *   goals, with the first driver of ours, CouchDB, and a bare node:http if it can answer them
 * @returns {Pair[]}
 */
function pairs ({ only, media, goals = false }) {
  return GROUPS.flatMap((group) => trialsOf(group).flatMap((trial) => driversOf(group).flatMap((driver, place) => {
    if (driver.missing?.() || driver.lacks?.includes(trial.needs)) return []
    if (goals ? !isForGoals(trial, driver, place) : driver.bare) return []
    return Object.keys(driver.media)
      .filter((medium) => media.includes(medium) && (medium !== 'disk' || trial.durable))
      .map((medium) => ({ group, trial: `${group}/${trial.name}`, driver: `${group}/${driver.name}`, medium, title: `${group}/${trial.name} × ${driver.name} (${medium})` }))
  }))).filter((pair) => only.test(pair.title))
}

function isForGoals (trial, driver, place) {
  if (trial.goal?.couchdb === undefined) return false
  return driver.bare ? Boolean(trial.bare) : place === 0 || driver.connect !== undefined
}

/** @returns {string[]} which drivers are left out, and why */
function missing () {
  return GROUPS.flatMap(driversOf).filter((driver) => driver.missing?.())
    .map((driver) => `${driver.name} is left out: ${driver.missing()}`)
}

module.exports = { findDriver, findTrial, missing, pairs }
