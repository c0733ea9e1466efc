'use strict'

// `npm run release`: packs every package into build/release, checks each, and writes SHA256SUMS; nothing leaves the
// machine. `-- --publish` hands the tarballs to the registry then, each after those that it depends on, and with
// `--provenance` signed by the continuous integration that it runs in. `--platform linux-x64` (may be given again)
// takes some of the platforms alone, to try it. A platform without addons is left out, which is a failure at the end;
// nothing is published then.

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { platforms } = require('../packages/addons')
const { fauxton } = require('./lib/fauxton')
const { InstallError } = require('./lib/install-error')
const { root } = require('./lib/node-modules')
const { check } = require('./lib/release/check')
const { pack, writeSums } = require('./lib/release/pack')
const { findFault, stage } = require('./lib/release/stage')

const output = path.join(root, 'build/release')
const addons = path.join(root, 'build/addons')

const { values: options } = parseArgs({
  options: { publish: { type: 'boolean' }, provenance: { type: 'boolean' }, platform: { type: 'string', multiple: true } }
})

/** @param {ReturnType<typeof pack>} packed */
async function checkAll (packed) {
  let faults = 0
  for (const each of packed) {
    const found = await check(each)
    faults += found.length
    console.log(`${path.basename(each.tarball)}: ${each.files.length} files, ${Math.ceil(fs.statSync(each.tarball).size / 1024)} KiB${found.map(fault => `\n  ${fault}`).join('')}`)
  }
  if (faults > 0) throw new InstallError(`${faults} faults, see above.`)
}

/** @param {string[]} tarballs */
function publish (tarballs) {
  for (const tarball of tarballs) {
    const words = ['publish', path.relative(process.cwd(), tarball), '--access', 'public', ...(options.provenance ? ['--provenance'] : [])]
    if (!options.publish) console.log(`would run: npm ${words.join(' ')}`)
    else if (spawnSync('npm', words, { stdio: 'inherit' }).status !== 0) throw new InstallError(`${path.basename(tarball)} was not published, see above.`)
  }
}

/** Returns the platforms that have addons, and says what the others lack. @param {string[]} wanted */
function choose (wanted) {
  return wanted.filter(name => {
    const fault = findFault(path.join(addons, name))
    if (fault === undefined) return true
    if (options.publish) throw new InstallError(fault)
    process.stderr.write(`release: ${name} is left out. ${fault}\n`)
    process.exitCode = 1
    return false
  })
}

async function main () {
  if (options.publish && options.platform) throw new InstallError('All platforms are published, or none.')
  if (!fauxton.state().ready) fauxton.fetch()
  fs.rmSync(output, { recursive: true, force: true })
  const wanted = options.platform ?? platforms.map(platform => platform.name)
  const packed = pack(stage(path.join(output, 'packages'), addons, choose(wanted)), output)
  await checkAll(packed)
  const tarballs = packed.map(each => each.tarball)
  writeSums(tarballs, path.join(output, 'SHA256SUMS'))
  publish(tarballs)
}

main().catch(error => {
  process.stderr.write(`release: ${error instanceof InstallError ? error.message : error.stack}\n`)
  process.exitCode = 1
})
