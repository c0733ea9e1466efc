'use strict'

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { listWorkspaces, root } = require('../layers/workspaces')

/** A registry of npm's kind on this machine: tarballs of ours, and everybody else's packages out of node_modules. */
class Registry {
  /** name → version → `{ manifest, folder }` or `{ manifest, tarball }` @type {Map<string, Map<string, any>>} */
  #packages = new Map()
  #cache
  #server = http.createServer((request, response) => this.#answer(request, response))

  /** @param {string} cache a folder for tarballs that are made on demand */
  constructor (cache) {
    this.#cache = cache
    for (const folder of ['', ...listWorkspaces().map(workspace => workspace.folder)]) this.#addFolder(path.join(root, folder, 'node_modules'))
  }

  /** @param {{ manifest: any, tarball: string }} packed */
  add (packed) {
    const { name, version } = packed.manifest
    this.#packages.set(name, (this.#packages.get(name) ?? new Map()).set(version, packed))
  }

  /** @returns {Promise<string>} its address */
  async start () {
    await new Promise(resolve => this.#server.listen(0, '127.0.0.1', () => resolve(undefined)))
    return `http://127.0.0.1:${/** @type {any} */ (this.#server.address()).port}/`
  }

  async stop () {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  /** @param {string} modules a node_modules folder */
  #addFolder (modules) {
    if (!fs.existsSync(modules)) return
    for (const entry of fs.readdirSync(modules, { withFileTypes: true })) {
      const folder = path.join(modules, entry.name)
      // Links lead to packages of this repository.
      if (!entry.isDirectory() || entry.name === '.bin') continue
      if (entry.name.startsWith('@')) this.#addFolder(folder)
      else this.#addPackage(folder)
    }
  }

  /** @param {string} folder */
  #addPackage (folder) {
    const file = path.join(folder, 'package.json')
    if (!fs.existsSync(file)) return
    const manifest = JSON.parse(fs.readFileSync(file, 'utf8'))
    if (typeof manifest.version === 'string') this.add({ manifest, folder })
    this.#addFolder(path.join(folder, 'node_modules'))
  }

  /** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
  #answer (request, response) {
    const [, name, version] = /^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/(.+)\.tgz)?$/.exec(decodeURIComponent(request.url)) ?? []
    const versions = this.#packages.get(name)
    if (versions === undefined) return response.writeHead(404).end('{}')
    if (version !== undefined) return response.end(fs.readFileSync(this.#tarball(versions.get(version))))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(describe(name, versions, `http://${request.headers.host}/`)))
  }

  /** @param {any} entry */
  #tarball (entry) {
    if (entry.tarball !== undefined) return entry.tarball
    const { name, version } = entry.manifest
    const file = path.join(this.#cache, `${name.replace('/', '+')}-${version}.tgz`)
    if (!fs.existsSync(file)) {
      execFileSync('tar', ['--exclude=./node_modules', '--transform=s,^\\.,package,', '-cf', file, '-C', entry.folder, '.'])
    }
    return file
  }
}

/** @param {string} name @param {Map<string, any>} versions @param {string} site */
function describe (name, versions, site) {
  const described = [...versions].map(([version, { manifest }]) => [version, {
    ...manifest,
    devDependencies: {},
    scripts: manifest.scripts ?? {},
    dist: { tarball: `${site}${name}/-/${version}.tgz` }
  }])
  return { name, 'dist-tags': { latest: [...versions.keys()].at(-1) }, versions: Object.fromEntries(described) }
}

module.exports = { Registry }
