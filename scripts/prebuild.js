'use strict'

// `node scripts/prebuild.js`: builds the native addons for every platform, into build/addons, as the packages
// that npm publish takes. `--platform linux-x64` (may be given again) builds some. It needs Debian, for the
// source of PMDK, and pip, for zig, which compiles for all of them. It builds the others where one fails.

const fs = require('node:fs')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { platforms } = require('../packages/addons')
const { InstallError } = require('./lib/install-error')
const { buildAddon } = require('./lib/prebuild/addon')
const { Compiler } = require('./lib/prebuild/compiler')
const { writePackage } = require('./lib/prebuild/package')
const { buildPmdk, fetchPmdk } = require('./lib/prebuild/pmdk')
const { fetchZig } = require('./lib/prebuild/zig')
const { root } = require('./lib/node-modules')

const cache = path.join(root, 'build/prebuild')
const output = path.join(root, 'build/addons')

/** @param {string} text */
function say (text) { process.stderr.write(`prebuild: ${text}\n`) }

/** @param {string[] | undefined} names */
function choose (names) {
  const unknown = (names ?? []).filter(name => !platforms.some(platform => platform.name === name))
  if (unknown.length > 0) throw new InstallError(`No such platform: ${unknown.join(', ')}. There are ${platforms.map(platform => platform.name).join(', ')}.`)
  return platforms.filter(platform => names?.includes(platform.name) ?? true)
}

async function main () {
  const { values } = parseArgs({ options: { platform: { type: 'string', multiple: true } } })
  const chosen = choose(values.platform)
  fs.mkdirSync(cache, { recursive: true })
  const zig = fetchZig(cache, say)
  const pmdk = fetchPmdk(cache, say)
  /** @type {string[]} */
  const failed = []
  for (const platform of chosen) {
    await buildPlatform(platform, { zig, pmdk }).catch(error => {
      if (!(error instanceof InstallError)) throw error
      say(`${platform.name}: ${error.message}`)
      failed.push(platform.name)
    })
  }
  if (failed.length > 0) throw new InstallError(`There are no addons for ${failed.join(', ')}, see above.`)
}

/**
 * @param {import('../packages/addons').Platform} platform
 * @param {{ zig: string, pmdk: string }} sources folders
 * @throws {InstallError} if something does not compile; there is no package of the platform then
 */
async function buildPlatform (platform, { zig, pmdk }) {
  const folder = path.join(output, platform.name)
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  const compiler = new Compiler(zig, platform, path.join(cache, platform.name))
  say(`${platform.name}: libpmemobj`)
  const library = await buildPmdk(compiler, pmdk)
  for (const name of ['pmemobj', 'collation']) {
    say(`${platform.name}: ${name}.node`)
    await buildAddon(compiler, name, { output: path.join(folder, `${name}.node`), library, headers: path.join(pmdk, 'src/include') })
  }
  writePackage(folder, platform, { pmdk, zig })
}

main().catch(error => {
  say(error instanceof InstallError ? error.message : error.stack)
  process.exitCode = 1
})
