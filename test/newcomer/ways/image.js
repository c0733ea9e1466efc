'use strict'

const { execFileSync, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { root } = require('../../layers/workspaces')

const DOCKERFILE = path.join(root, 'deploy/container/Dockerfile')

/** The image that the Dockerfile begins with. It is made of Debian and this Node.js, as no registry of images is asked. */
const BASE = /^FROM (\S+)/m.exec(fs.readFileSync(DOCKERFILE, 'utf8'))?.[1]

/** @typedef {{ Env: string[], User: string, WorkingDir: string, Entrypoint: string[], Cmd: string[], Healthcheck: { Test: string[] } }} ImageConfig */

/** Images of buildah, which builds as Docker does and needs no daemon, in a folder of their own. */
class Images {
  #folder

  /** @param {string} folder */
  constructor (folder) { this.#folder = folder }

  /** @returns {string | null} why there can be none */
  static missing () {
    if (process.getuid?.() !== 0) return 'it needs root'
    const absent = ['buildah', 'mmdebstrap'].filter(command => spawnSync(command, ['--version']).error)
    return absent.length > 0 ? `there is no ${absent.join(', and no ')}` : null
  }

  /** @param {...string} words @returns {string} what it printed */
  #buildah (...words) {
    const places = ['--storage-driver', 'vfs', '--root', path.join(this.#folder, 'images'), '--runroot', path.join(this.#folder, 'run')]
    return execFileSync('buildah', [...places, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 2], maxBuffer: 2 ** 26 }).trim()
  }

  /** Builds the image of the Dockerfile. @returns {{ folder: string, config: ImageConfig }} its files, and what it says of itself */
  build () {
    this.#makeBase()
    this.#buildah('bud', '--quiet', '--isolation', 'chroot', '--format', 'docker', '--pull-never', '--ignorefile', `${DOCKERFILE}.dockerignore`, '--file', DOCKERFILE, '--tag', 'potoroo', root)
    const { Docker: { config } } = JSON.parse(this.#buildah('inspect', '--type', 'image', 'potoroo'))
    return { folder: this.#buildah('mount', this.#buildah('from', '--pull-never', 'potoroo')), config }
  }

  #makeBase () {
    const container = this.#buildah('from', 'scratch')
    const folder = this.#buildah('mount', container)
    bootstrap(folder, 'ca-certificates')
    const prefix = path.dirname(path.dirname(process.execPath))
    const local = path.join(folder, 'usr/local')
    fs.copyFileSync(process.execPath, path.join(local, 'bin/node'))
    fs.cpSync(path.join(prefix, 'include/node'), path.join(local, 'include/node'), { recursive: true })
    fs.cpSync(path.join(prefix, 'lib/node_modules/npm'), path.join(local, 'lib/node_modules/npm'), { recursive: true, verbatimSymlinks: true })
    for (const name of ['npm', 'npx']) fs.symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, path.join(local, 'bin', name))
    // The certificates that this machine trusts.
    fs.copyFileSync('/etc/ssl/certs/ca-certificates.crt', path.join(folder, 'etc/ssl/certs/ca-certificates.crt'))
    fs.mkdirSync(path.join(local, 'etc'), { recursive: true })
    fs.writeFileSync(path.join(local, 'etc/npmrc'), 'cafile=/etc/ssl/certs/ca-certificates.crt\n')
    this.#buildah('commit', '--quiet', container, `docker.io/library/${BASE}`)
    this.#buildah('rm', container)
  }

  remove () {
    this.#buildah('umount', '--all')
    this.#buildah('rm', '--all')
    fs.rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** @param {string} folder @param {string} packages */
function bootstrap (folder, packages) {
  execFileSync('mmdebstrap', ['--quiet', '--variant=minbase', `--include=${packages}`, '--skip=cleanup/apt/lists', 'bookworm', folder], { stdio: ['ignore', 2, 2] })
}

module.exports = { bootstrap, Images }
