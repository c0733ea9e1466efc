'use strict'

const fs = require('node:fs')
const path = require('node:path')

// statfs(2)
const VOLATILE = new Map([[0x01021994, 'tmpfs'], [0x858458f6, 'ramfs']])

/**
 * @typedef {object} FileSystem
 * @property {string} type `ext4`, `tmpfs`, …; `unknown` where the system does not say
 * @property {boolean} volatile whether it forgets with a restart of the machine
 * @property {boolean} dax whether it is mounted with direct access
 */

/** @typedef {{ point: string, type: string, options: string[] }} Mount */

/**
 * The file system that a path is on, or will be: its nearest ancestor that exists counts.
 *
 * @param {string} location
 * @returns {FileSystem}
 * @see https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
 */
function fileSystemOf (location) {
  const existing = fs.realpathSync(nearestExisting(path.resolve(location)))
  const forgetful = VOLATILE.get(fs.statfsSync(existing).type)
  const mount = mountOf(existing)
  return {
    type: forgetful ?? mount?.type ?? 'unknown',
    volatile: forgetful !== undefined,
    dax: mount?.options.some(option => option === 'dax' || option === 'dax=always') ?? false
  }
}

/** @param {string} location */
function nearestExisting (location) {
  while (!fs.existsSync(location)) location = path.dirname(location)
  return location
}

/** @param {string} location */
function mountOf (location) {
  const mounts = readMounts().filter(({ point }) => point === '/' || location === point || location.startsWith(point + '/'))
  // A later mount hides an earlier one at the same point.
  return mounts.reduce((/** @type {Mount | null} */ best, mount) => best === null || mount.point.length >= best.point.length ? mount : best, null)
}

/** @returns {Mount[]} */
function readMounts () {
  let text
  try {
    text = fs.readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return []
  }
  return text.split('\n').filter(line => line.includes(' - ')).map(line => {
    const [mount, source] = line.split(' - ')
    const [, , , , point, options] = mount.split(' ')
    const [type, , superOptions = ''] = source.split(' ')
    return { point: unescape8(point), type, options: [...options.split(','), ...superOptions.split(',')] }
  })
}

/**
 * White space and backslashes are written in octal.
 *
 * @param {string} text
 */
function unescape8 (text) {
  return text.replace(/\\([0-7]{3})/g, /** @param {string} _ @param {string} digits */ (_, digits) => String.fromCharCode(parseInt(digits, 8)))
}

module.exports = { fileSystemOf }
