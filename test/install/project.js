'use strict'

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

/** A folder of somebody who installs packages, with nothing else in its PATH than node, npm and a shell. */
class Project {
  #env

  /** @param {string} folder @param {string} registry its address */
  constructor (folder, registry) {
    this.folder = folder
    fs.mkdirSync(path.join(folder, 'bin'), { recursive: true })
    for (const [name, target] of Object.entries({ node: process.execPath, sh: '/bin/sh' })) fs.symlinkSync(target, path.join(folder, 'bin', name))
    fs.writeFileSync(path.join(folder, 'package.json'), '{ "name": "project", "version": "1.0.0" }')
    // No home, so that no settings of this machine count, and no variables of the npm that may run this.
    this.#env = { PATH: path.join(folder, 'bin'), HOME: folder, npm_config_registry: registry, npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' }
  }

  /** @param {...string} words */
  async install (...words) {
    const { status, output } = await this.run([npm(), 'install', ...words])
    if (status !== 0) throw new Error(output)
    return output
  }

  /**
   * @param {string[]} words of node
   * @param {string} [folder] to run in
   * @returns {Promise<{ status: number | null, output: string }>} all that it prints
   */
  run (words, folder = this.folder) {
    return new Promise((resolve, reject) => {
      const child = spawn(path.join(this.folder, 'bin/node'), words, { cwd: folder, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => { output += chunk })
      child.once('error', reject)
      child.once('close', status => resolve({ status, output }))
    })
  }

  /** @param {string} name of a file, in whose folder it runs @param {string} code */
  program (name, code) {
    const file = path.join(this.folder, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, code)
    return this.run([file], path.dirname(file))
  }

  /** @param {...string} parts of a path in node_modules */
  module (...parts) { return path.join(this.folder, 'node_modules', ...parts) }
}

/** Returns the program of the npm that belongs to this Node.js, or that runs this. */
function npm () {
  if (process.env.npm_execpath !== undefined) return process.env.npm_execpath
  return path.resolve(path.dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js')
}

module.exports = { Project }
