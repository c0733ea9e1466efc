'use strict'

const fs = require('node:fs')
const os = require('node:os')
const { size } = require('../import/words')

/** @typedef {import('./examine').Finding} Finding */

const LEAST_DESCRIPTORS = 256
const FEW_DESCRIPTORS = 4096
const LITTLE_MEMORY = 256 * 2 ** 20

/** @returns {Finding} */
function descriptors () {
  const limit = Number(/^Max open files +\d+ +(\d+)/m.exec(read('/proc/self/limits'))?.[1] ?? NaN)
  if (Number.isNaN(limit)) return { name: 'open files', state: 'ok', found: 'the system does not say, or has no limit' }
  const found = `${limit} at most: each connection takes one`
  if (limit >= FEW_DESCRIPTORS) return { name: 'open files', state: 'ok', found }
  return { name: 'open files', state: limit < LEAST_DESCRIPTORS ? 'problem' : 'warning', found, mend: 'LimitNOFILE=65536 in the unit of systemd, or ulimit -Hn 65536' }
}

/** @returns {Finding} */
function memory () {
  const least = Math.min(os.totalmem(), groupLimit())
  const found = `${size(least)}${least < os.totalmem() ? ' by the control group' : ''}, ${size(os.freemem())} free`
  if (least >= LITTLE_MEMORY) return { name: 'memory', state: 'ok', found }
  return { name: 'memory', state: 'warning', found, mend: 'give it 256 MiB or more' }
}

/** Bytes that the control group of this process may have: version 2, or version 1. */
function groupLimit () {
  const group = /^0::(.*)$/m.exec(read('/proc/self/cgroup'))?.[1] ?? ''
  const text = read(`/sys/fs/cgroup${group}/memory.max`) || read('/sys/fs/cgroup/memory.max') || read('/sys/fs/cgroup/memory/memory.limit_in_bytes')
  return /^\d+\s*$/.test(text) ? Number(text) : Infinity
}

/** @param {string} file */
function read (file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

module.exports = { descriptors, memory }
