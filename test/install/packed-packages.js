'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { platforms } = require('../../packages/addons')
const { pack } = require('../../scripts/lib/release/pack')
const { stage } = require('../../scripts/lib/release/stage')
const { root } = require('../layers/workspaces')
const { Project } = require('./project')
const { Registry } = require('./registry')

/** The folder that scripts/prebuild.js fills. */
const prebuilt = path.join(root, 'build/addons')

/** Whether it has the addons of all platforms. */
const isPrebuilt = platforms.every(({ name }) => fs.existsSync(path.join(prebuilt, name, 'package.json')))

/** All packages as the release packs them, in a registry of their own. */
class PackedPackages {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-install-'))
  #registry = new Registry(this.folder)
  #address

  /** @param {string} addons a folder as scripts/prebuild.js makes it */
  async start (addons) {
    const staged = stage(path.join(this.folder, 'staged'), addons, platforms.map(({ name }) => name))
    const packed = pack(staged, path.join(this.folder, 'tarballs'))
    for (const each of packed) this.#registry.add(each)
    this.#address = await this.#registry.start()
    return packed
  }

  async stop () {
    await this.#registry.stop()
    fs.rmSync(this.folder, { recursive: true })
  }

  /** @param {string} name @param {string} [node] the program of another Node.js */
  project (name, node) { return new Project(path.join(this.folder, name), this.#address, node) }
}

module.exports = { PackedPackages, isPrebuilt, prebuilt }
