'use strict'

const { spawnSync } = require('node:child_process')
const { mkdirSync } = require('node:fs')
const path = require('node:path')

const folder = path.resolve(__dirname, '../checker')
const program = path.resolve(__dirname, '../../../build/cluster/checker')
const places = ['go', '/usr/local/go/bin/go']

/** Why there is no checker; undefined: nobody has tried to build it. @type {string | null | undefined} */
let missing

/**
 * Builds the checker, once in each process; Go itself knows what has changed.
 *
 * @returns {string | null} why it cannot be had: there is no Go, or the network does not give what it is made of
 */
function whyMissing () {
  if (missing === undefined) missing = build()
  return missing
}

function build () {
  const go = places.find(place => spawnSync(place, ['version']).status === 0)
  if (go === undefined) return 'there is no Go here (Debian: golang-go)'
  mkdirSync(path.dirname(program), { recursive: true })
  const env = { ...process.env, GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local' }
  const { status, stderr } = spawnSync(go, ['build', '-o', program, '.'], { cwd: folder, encoding: 'utf8', env })
  return status === 0 ? null : `it does not build: ${stderr}`
}

/**
 * Judges histories of registers with porcupine.
 *
 * @param {object[]} lines see checker/main.go
 * @param {{ pictures?: string }} [options] pictures: folder for a page on each document that is not linearizable
 * @returns {Array<{ document: string, result: 'Ok' | 'Illegal' | 'Unknown', operations: number, stuck?: string[] }>}
 */
function judge (lines, { pictures } = {}) {
  const { status, stdout, stderr } = spawnSync(program, pictures === undefined ? [] : ['-pictures', pictures], {
    input: lines.map(line => `${JSON.stringify(line)}\n`).join(''), encoding: 'utf8', maxBuffer: 2 ** 28
  })
  if (status !== 0) throw new Error(`The checker failed: ${stderr}`)
  return JSON.parse(stdout)
}

module.exports = { judge, whyMissing }
