'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { platforms } = require('../../packages/addons')
const { pack } = require('../../scripts/lib/release/pack')
const { stage } = require('../../scripts/lib/release/stage')
const { read } = require('../layers/markdown')
const { root } = require('../layers/workspaces')
const { Project } = require('./project')
const { Registry } = require('./registry')

/** The folder that scripts/prebuild.js fills. */
const prebuilt = path.join(root, 'build/addons')

const own = `linux-${process.arch}`

/** Whether it has the addons of all platforms. */
const isPrebuilt = platforms.every(({ name }) => fs.existsSync(path.join(prebuilt, name, 'package.json')))

/**
 * Folders as scripts/prebuild.js makes them, with what is built in place for this machine, and files that no machine
 * can load for others.
 */
function standIns (folder) {
  const { version } = JSON.parse(read('lerna.json'))
  for (const { name, os, cpu, libc } of platforms) {
    const target = path.join(folder, name)
    fs.mkdirSync(target, { recursive: true })
    const manifest = { name: `@potoroo/addons-${name}`, version, os: [os], cpu: [cpu], libc: [libc], files: ['*.node'] }
    fs.writeFileSync(path.join(target, 'package.json'), JSON.stringify(manifest))
    for (const addon of ['pmemobj', 'collation']) {
      const file = path.join(target, `${addon}.node`)
      if (name === own) fs.copyFileSync(path.join(root, 'packages', addon, `build/Release/${addon}.node`), file)
      else fs.writeFileSync(file, 'of another platform')
    }
  }
  return folder
}

/** All packages as the release packs them, in a registry of their own. */
class PackedPackages {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-install-'))
  #registry = new Registry(this.folder)
  #address

  /** @param {string} [addons] a folder as scripts/prebuild.js makes it; default: what it made, or what was built in place */
  async start (addons = isPrebuilt ? prebuilt : standIns(path.join(this.folder, 'addons'))) {
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
