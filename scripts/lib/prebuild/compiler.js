'use strict'

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { InstallError } = require('../install-error')

const CPU = /** @type {Record<string, string>} */ ({ x64: 'x86_64', arm64: 'aarch64' })

/** The oldest glibc that Node.js 20 runs on. */
const GLIBC = '2.28'

/** Compiles C and C++ for one platform, by zig, several files at a time. */
class Compiler {
  #zig
  #target
  #folder

  /**
   * @param {string} zig its folder
   * @param {import('../../../packages/addons').Platform} platform
   * @param {string} folder for objects
   */
  constructor (zig, platform, folder) {
    this.platform = platform
    this.cpu = CPU[platform.cpu]
    this.#zig = path.join(zig, 'zig')
    this.#target = `${this.cpu}-linux-${platform.libc === 'musl' ? 'musl' : `gnu.${GLIBC}`}`
    this.#folder = folder
  }

  /**
   * @param {string} name of the group, a folder of its objects
   * @param {Array<{ source: string, flags: string[] }>} units
   * @returns {Promise<string[]>} the objects
   */
  async compile (name, units) {
    const folder = path.join(this.#folder, name)
    fs.mkdirSync(folder, { recursive: true })
    const objects = units.map((_, index) => path.join(folder, `${index}.o`))
    const queue = units.map(({ source, flags }, index) => () => this.#run(driver(source), [...flags, '-c', source, '-o', objects[index]]))
    const work = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next()
    }
    await Promise.all(Array.from({ length: os.availableParallelism() }, work))
    return objects
  }

  /** @param {string[]} objects @param {string[]} flags @param {string} output a shared library */
  async link (objects, flags, output) {
    await this.#run('c++', ['-shared', ...flags, ...objects, '-Wl,--gc-sections', '-s', '-o', output])
  }

  /** @param {'cc' | 'c++'} tool @param {string[]} words */
  #run (tool, words) {
    return new Promise((resolve, reject) => {
      const child = spawn(this.#zig, [tool, '-target', this.#target, ...words], { stdio: ['ignore', 2, 2] })
      child.once('error', reject)
      child.once('exit', status => status === 0 ? resolve(undefined) : reject(new InstallError(`The compiler has failed for ${this.#target}: ${words.at(-1)}`)))
    })
  }
}

/** @param {string} source */
function driver (source) { return source.endsWith('.c') ? 'cc' : 'c++' }

module.exports = { Compiler }
