'use strict'

const assert = require('node:assert')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { platforms } = require('..')

const PROGRAM = `
  const { loadAddon } = require(process.argv[1])
  try {
    console.log(JSON.stringify(loadAddon('sample', process.argv[2])))
  } catch (error) {
    console.log(error.code, error.message)
  }`

/** Makes another platform of this one, before the package is loaded. */
const as = (platform, arch) => `Object.defineProperties(process, { platform: { value: '${platform}' }, arch: { value: '${arch}' } })\n`

describe('load-addon', () => {
  let root

  beforeEach(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-addons-'))
    for (const name of ['index.js', 'lib', 'package.json']) fs.cpSync(path.join(__dirname, '..', name), path.join(root, 'addons', name), { recursive: true })
  })

  afterEach(() => fs.rmSync(root, { recursive: true }))

  const run = (before = '') => execFileSync(process.execPath, ['-e', before + PROGRAM, path.join(root, 'addons'), path.join(root, 'sample')], { encoding: 'utf8' }).trim()

  /** A file of the name of an addon, whose text Node.js cannot load as one. */
  const write = (file, text = 'no addon') => {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    fs.writeFileSync(path.join(root, file), text)
  }

  it('takes the one that was built in place before the prebuilt one', () => {
    write('sample/build/Release/sample.node')
    write('addons/node_modules/@potoroo/addons-linux-x64/sample.node')
    assert.match(run(as('linux', 'x64')), /^ADDON_BROKEN The native addon \S+\/sample\/build\/Release\/sample\.node does not load \(.+\): install it again/)
  })

  it('takes the prebuilt one of the platform', () => {
    write('addons/node_modules/@potoroo/addons-linux-arm64/sample.node')
    assert.match(run(as('linux', 'arm64')), /^ADDON_BROKEN The native addon \S+addons-linux-arm64\/sample\.node does not load/)
  })

  it('says which package is missing', () => {
    assert.match(run(as('linux', 'x64')), /^ADDON_MISSING The native addon of sample is not there: install the optional package @potoroo\/addons-linux-x64, or .*$/)
  })

  it('says in one line that nothing is prebuilt for another platform', () => {
    for (const [platform, arch] of [['darwin', 'arm64'], ['win32', 'x64'], ['linux', 'riscv64']]) {
      assert.match(run(as(platform, arch)), new RegExp(`^ADDON_MISSING The native addon of sample is prebuilt for linux-x64, .*, and not for ${platform}-${arch}: build it as .*$`))
    }
  })

  it('tells musl from glibc by what is loaded', () => {
    const names = { '/lib/ld-musl-x86_64.so.1': 'linux-x64-musl', '/usr/lib/x86_64-linux-musl/libc.so': 'linux-x64-musl', '/usr/lib/x86_64-linux-gnu/libc.so.6': 'linux-x64' }
    for (const [file, name] of Object.entries(names)) {
      const maps = `7f00-7f01 r-xp 00000000 08:01 42 ${file}\n`
      const loaded = `
        const fs = require('node:fs')
        const { readFileSync } = fs
        fs.readFileSync = (file, ...options) => file === '/proc/self/maps' ? ${JSON.stringify(maps)} : readFileSync(file, ...options)\n`
      assert.match(run(loaded + as('linux', 'x64')), new RegExp(`install the optional package @potoroo/addons-${name},`))
    }
  })

  it('has a package for each platform, named after it', () => {
    assert.deepStrictEqual(platforms.map(({ os, cpu, libc }) => `${os}-${cpu}${libc === 'musl' ? '-musl' : ''}`), platforms.map(({ name }) => name))
  })
})
