'use strict'

const fs = require('node:fs')
const path = require('node:path')

const GROUPS = ['level', 'objects', 'pouchdb', 'http']

/**
 * @typedef {object} Trial one thing that is measured; a file under `trials/GROUP`
 * @property {string} name
 * @property {string} unit what one unit of work is called
 * @property {number} size entries, or documents, in the database before
 * @property {number} [step] units that one call of `run` does
 * @property {number} [most] end after this number of units, warm-up included, though time is left
 * @property {boolean} [counts] it counts in the geometric mean of the group's table
 * @property {boolean} [durable] it writes, so it is also measured on a disk
 * @property {string} [needs] what a driver must have, or the pair is left out: a method, `files`, or another
 *   word of its `lacks`
 * @property {{ most?: number, times?: number, than?: string }} [goal] of ours: µs of CPU time a unit at
 *   most, in the place of persistent memory; how many times as fast as each durable peer, or as one
 * @property {'bytes'} [figure] `run` is called once and returns a number of these for each unit,
 *   in the place of a time. The database is closed by `prepare`
 * @property {(subject: any, options: { size: number, folder: string, driver: string, reopen: () => Promise<any> }) => Promise<any>} prepare
 *   fills the database, untimed, and gives what `run` works on. `driver`: the driver's file. A trial
 *   that opens the database again keeps it as `current` of what it gives
 * @property {(state: any, start: number, step: number) => Promise<void>} [ready] makes what the next
 *   `run` needs; it is not timed
 * @property {(state: any, start: number, step: number) => Promise<number | void>} run does units
 *   [start, start + step); returns how many it did where that was another number
 *
 * @typedef {object} Driver what it is measured on; a file under `drivers/GROUP`
 * @property {string} name
 * @property {boolean} [ours] a part of this repository, and not a peer
 * @property {boolean} [yardstick] ratios say how many times as fast as this one the others are
 * @property {() => string | undefined} [missing] what has to be done before it can run here
 * @property {Record<string, string>} media the media it runs on (`tmpfs`, `disk`), each with
 *   what an acknowledged write survives there
 * @property {string[]} [lacks] the methods of its group's interface that it does not have; `files`
 *   where nothing is left when it is closed
 * @property {Record<string, string>} [env] environment of its process, on tmpfs
 * @property {(folder: string) => Promise<any>} [open] gives the database (with a `close` method)
 * @property {(options: { folder: string, port: number }) => Promise<{ url: string, close: () => Promise<void> }>} [serve]
 *   for HTTP: starts the server, in a process of its own
 *
 * @typedef {object} Pair
 * @property {string} group
 * @property {string} trial file of the trial
 * @property {string} driver file of the driver
 * @property {string} medium
 * @property {string} title
 */

/** @returns {string[]} a group's files, in the order their numbers or names say */
function files (kind, group) {
  const folder = path.join(__dirname, '..', kind, group)
  return fs.readdirSync(folder).filter((name) => name.endsWith('.js')).sort().map((name) => path.join(folder, name))
}

/**
 * Every trial with every driver of its group: trial by trial, so that drivers which are to be
 * compared run next to each other.
 *
 * @param {{ only: RegExp, media: string[] }} selection
 * @returns {Pair[]}
 */
function pairs ({ only, media }) {
  return GROUPS.flatMap((group) => files('trials', group).flatMap((trialFile) => {
    const trial = require(trialFile)
    return files('drivers', group).flatMap((driverFile) => {
      const driver = require(driverFile)
      if (driver.missing?.() || driver.lacks?.includes(trial.needs)) return []
      return Object.keys(driver.media)
        .filter((medium) => media.includes(medium) && (medium !== 'disk' || trial.durable))
        .map((medium) => ({ group, trial: trialFile, driver: driverFile, medium, title: `${group}/${trial.name} × ${driver.name} (${medium})` }))
    })
  })).filter((pair) => only.test(pair.title))
}

/** @returns {string[]} which drivers are left out, and why */
function missing () {
  return GROUPS.flatMap((group) => files('drivers', group)).map((file) => require(file))
    .filter((driver) => driver.missing?.())
    .map((driver) => `${driver.name} is left out: ${driver.missing()}`)
}

module.exports = { pairs, missing }
