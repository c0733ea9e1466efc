'use strict'

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const release = path.join(__dirname, 'build/Release')
/** Puts power cuts into the process that it is loaded into by LD_PRELOAD; and arms them, as an addon. */
const simulator = path.join(release, 'simulator.node')
/** The addon of the package with faults that PLANTED_FAULT chooses, see src/engine/base/fault.h. */
const faulty = path.join(release, 'faulty.node')

/** Builds both, where sources have changed. */
function build () {
  // It is linked with parts of the package's own build, which node-gyp does not look at.
  fs.rmSync(path.join(release, 'obj.target/faulty.node'), { force: true })
  const prefix = path.resolve(path.dirname(process.execPath), '..')
  const headers = fs.existsSync(path.join(prefix, 'include/node/node_api.h')) ? [`--nodedir=${prefix}`] : []
  const words = [require.resolve('node-gyp/bin/node-gyp.js'), 'configure', 'build', '--loglevel=error', ...headers]
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: __dirname, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The simulator could not be built:\n${stdout}\n${stderr}`)
}

module.exports = { build, simulator, faulty }
