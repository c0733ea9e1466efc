'use strict'

const { execFileSync, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const yaml = require('js-yaml')
const { root } = require('../../layers/workspaces')
const { bootstrap, Images } = require('./image')

const deploy = path.join(root, 'deploy/container')
const schema = yaml.DEFAULT_SCHEMA.extend([new yaml.Type('!reset', { kind: 'sequence' })])

/** @param {string} name @returns {any} */
function readCompose (name) { return yaml.load(fs.readFileSync(path.join(deploy, name), 'utf8'), { schema }) }

/** Words for a shell. @param {string[]} words */
function quoted (words) { return words.map(word => `'${word.replaceAll('\'', '\'\\\'\'')}'`).join(' ') }

/**
 * The container of the Dockerfile as the compose files run it, without Docker: buildah builds the image, and its files are a root
 * of their own, read only and without capabilities, in a network of its own.
 */
class Container {
  #folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-container-'))
  #images = new Images(path.join(this.#folder, 'images'))
  /** @type {ReturnType<Images['build']>} */
  #image
  #proxy = path.join(this.#folder, 'caddy')

  build () {
    this.#image = this.#images.build()
    const compilers = spawnSync('chroot', [this.#image.folder, 'sh', '-c', 'command -v cc g++ make python3'], { encoding: 'utf8' }).stdout
    if (compilers !== '') throw new Error(`The image has ${compilers}`)
  }

  /** Caddy, of Debian. */
  installProxy () {
    bootstrap(this.#proxy, 'caddy')
    fs.copyFileSync(path.join(deploy, 'Caddyfile'), path.join(this.#proxy, 'etc/caddy/Caddyfile'))
  }

  /** @param {boolean} isBehindProxy @returns {string} what the client printed */
  run (isBehindProxy) {
    const { config } = this.#image
    const { potoroo } = readCompose('compose.yaml').services
    const override = isBehindProxy ? readCompose('compose.caddy.yaml') : undefined
    const subnet = override?.networks.inside.ipam.config[0].subnet ?? '172.17.0.0/16'
    const data = fs.mkdtempSync(path.join(this.#folder, 'data-'))
    const secret = path.join(this.#folder, 'admin.txt')
    // A new volume has the owner and the rights of its folder in the image.
    const { uid, gid, mode } = fs.statSync(path.join(this.#image.folder, 'data'))
    fs.chownSync(data, uid, gid)
    fs.chmodSync(data, mode & 0o777)
    fs.writeFileSync(secret, 'anna:secret\n')
    const [kind, ...health] = config.Healthcheck.Test
    if (kind !== 'CMD') throw new Error(`The check of health is ${kind}`)
    const variables = [...config.Env, ...Object.entries({ ...potoroo.environment, ...override?.services.potoroo.environment }).map(([name, value]) => `${name}=${value}`)]
    return execFileSync('unshare', ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', path.join(__dirname, 'run-container.sh')], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 2],
      env: {
        ...process.env,
        ROOT: this.#image.folder,
        DATA: data,
        SECRET: secret,
        USER_GROUP: config.User,
        VARIABLES: variables.join(' '),
        COMMAND: [...config.Entrypoint, ...config.Cmd].join(' '),
        HEALTH: quoted(health),
        PROXY: isBehindProxy ? this.#proxy : '',
        ADDRESS: subnet.replace(/\.0\//, '.2/'),
        CLIENT: path.join(__dirname, '../sync.js'),
        URL: isBehindProxy ? 'https://localhost' : `http://127.0.0.1:${/:(\d+):/.exec(potoroo.ports[0])?.[1]}`
      }
    }).trim()
  }

  remove () {
    if (this.#image !== undefined) this.#images.remove()
    fs.rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** One for both ways: building it takes minutes. @type {Container | undefined} */
let container

async function build () {
  if (container !== undefined) return
  container = new Container()
  container.build()
}

module.exports = {
  alone: {
    name: 'docker compose up',
    missing: Images.missing,
    prepare: build,
    /** @returns {Promise<string>} what it printed */
    run: async () => /** @type {Container} */ (container).run(false),
    cleanUp: () => container?.remove()
  },
  behindCaddy: {
    name: 'docker compose up, behind Caddy',
    missing: Images.missing,
    async prepare () {
      await build()
      container?.installProxy()
    },
    /** @returns {Promise<string>} what it printed */
    run: async () => /** @type {Container} */ (container).run(true),
    cleanUp: () => container?.remove()
  }
}
