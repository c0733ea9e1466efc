'use strict'

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

/** A folder of somebody who installs packages, with nothing else in its PATH than node, npm and a shell. */
class Project {
  #env

  /**
   * @param {string} folder
   * @param {string} registry its address
   * @param {string} [node] the program of another Node.js
   */
  constructor (folder, registry, node = process.execPath) {
    this.folder = folder
    fs.mkdirSync(path.join(folder, 'bin'), { recursive: true })
    for (const [name, target] of Object.entries({ node, sh: '/bin/sh' })) fs.symlinkSync(target, path.join(folder, 'bin', name))
    fs.writeFileSync(path.join(folder, 'package.json'), '{ "name": "project", "version": "1.0.0" }')
    // No home, so that no settings of this machine count, and no variables of the npm that may run this.
    this.#env = { PATH: path.join(folder, 'bin'), HOME: folder, npm_config_registry: registry, npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' }
  }

  /** @param {...string} words */
  install (...words) { return this.installBy([process.execPath, npm()], ...words) }

  /** @param {string[]} npm a Node.js and the program of an npm @param {...string} words */
  async installBy (npm, ...words) {
    const { status, output } = await ended(this.#spawn([...npm, 'install', ...words], this.folder))
    if (status !== 0) throw new Error(output)
    return output
  }

  /**
   * @param {string[]} words of node
   * @param {string} [folder] to run in
   * @returns {Promise<{ status: number | null, output: string }>} all that it prints
   */
  run (words, folder) { return ended(this.start(words, folder)) }

  /** @param {string[]} words of node @param {string} [folder] to run in */
  start (words, folder = this.folder) { return this.#spawn([path.join(this.folder, 'bin/node'), ...words], folder) }

  /** @param {string[]} words @param {string} folder */
  #spawn ([command, ...words], folder) { return spawn(command, words, { cwd: folder, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] }) }

  /** @param {string} name of a file, in whose folder it runs @param {string} code */
  program (name, code) {
    const file = this.write(name, code)
    return this.run([file], path.dirname(file))
  }

  /** @param {string} name @param {string} code @returns {string} the file */
  write (name, code) {
    const file = path.join(this.folder, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, code)
    return file
  }

  /** @param {...string} parts of a path in node_modules */
  module (...parts) { return path.join(this.folder, 'node_modules', ...parts) }
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<{ status: number | null, output: string }>} all that it prints */
function ended (child) {
  return new Promise((resolve, reject) => {
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => { output += chunk })
    child.once('error', reject)
    child.once('close', status => resolve({ status, output }))
  })
}

/** Returns the program of the npm that belongs to this Node.js, or that runs this. */
function npm () {
  if (process.env.npm_execpath !== undefined) return process.env.npm_execpath
  return path.resolve(path.dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js')
}

module.exports = { Project }
