'use strict'

const { execFile } = require('node:child_process')
const { mkdtempSync, rmSync, symlinkSync, writeFileSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')
const { root } = require('./workspaces')

const execute = promisify(execFile)

/** An empty folder in which all packages of this repository are installed. */
class ExampleFolder {
  #path = mkdtempSync(path.join(os.tmpdir(), 'potoroo-example-'))

  constructor () {
    symlinkSync(path.join(root, 'node_modules'), path.join(this.#path, 'node_modules'))
  }

  /**
   * Runs a program or a script to its end.
   *
   * @param {string} name of the file that it is put into
   * @param {string} code
   * @param {string} command that takes the file
   * @returns {Promise<string>} what it prints
   * @throws {Error} where it fails
   */
  async run (name, code, command) {
    writeFileSync(path.join(this.#path, name), code)
    // Variables that npm gives to the programs that it starts are not for those that an example starts.
    const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^npm_/i.test(key)))
    const { stdout } = await execute(command, [name], { cwd: this.#path, env, timeout: 100_000 })
    return stdout
  }

  remove () {
    rmSync(this.#path, { recursive: true, force: true })
  }
}

/**
 * @template Result
 * @param {(folder: ExampleFolder) => Promise<Result>} action
 */
async function inExampleFolder (action) {
  const folder = new ExampleFolder()
  try {
    return await action(folder)
  } finally {
    folder.remove()
  }
}

module.exports = { inExampleFolder }
