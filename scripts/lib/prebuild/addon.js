'use strict'

const fs = require('node:fs')
const path = require('node:path')
const vm = require('node:vm')
const { InstallError } = require('../install-error')
const { root } = require('../node-modules')

/**
 * Builds an addon for another platform, with the sources and flags of its binding.gyp.
 *
 * @param {import('./compiler').Compiler} compiler
 * @param {string} name of the folder in packages
 * @param {{ output: string, library: string[], headers: string }} parts the objects of libpmemobj, and its headers
 */
async function buildAddon (compiler, name, { output, library, headers }) {
  const folder = path.join(root, 'packages', name)
  const target = readTarget(path.join(folder, 'binding.gyp'))
  const includes = [path.join(folder, 'src'), headers, nodeHeaders(), path.dirname(require.resolve('node-addon-api'))]
  const flags = [...portable([...target.cflags, ...target.cflags_cc]), '-fno-sanitize=undefined', '-DBUILDING_NODE_EXTENSION',
    '-ffunction-sections', '-fdata-sections', ...processorFlags(compiler.cpu),
    ...target.defines.map(define => `-D${define}`), ...includes.map(include => `-I${include}`)]
  const units = listSources(path.join(folder, 'src')).map(source => ({ source, flags }))
  const objects = await compiler.compile(name, units)
  const usesLibrary = target.libraries?.includes('-lpmemobj') ?? false
  await compiler.link(usesLibrary ? [...objects, ...library] : objects, portable(target.ldflags ?? HARDENING), output)
}

/** The flags of collation's linker on Linux, which are in a condition of its binding.gyp. */
const HARDENING = ['-Wl,-z,relro,-z,now,-z,noexecstack']

/**
 * A binding.gyp is an object of JavaScript with Python's comments.
 *
 * @param {string} file
 * @returns {{ defines: string[], cflags: string[], cflags_cc: string[], ldflags?: string[], libraries?: string[] }}
 */
function readTarget (file) {
  const text = fs.readFileSync(file, 'utf8').replace(/^\s*#.*$/gm, '')
  return vm.runInNewContext(`(${text})`).targets[0]
}

/** Link time optimisation is told to GCC in another way; the other compiler finds more to warn of, which is said by the build in place. @param {string[]} flags */
function portable (flags) {
  return flags.filter(flag => !flag.startsWith('-W') || flag.startsWith('-Wl,')).map(flag => flag === '-flto=auto' ? '-flto' : flag)
}

/** The engine asks at run time whether there are the instructions for CRC-32C. @param {string} cpu */
function processorFlags (cpu) { return cpu === 'x86_64' ? ['-mcrc32'] : [] }

/** @param {string} folder */
function listSources (folder) {
  return fs.readdirSync(folder, { recursive: true }).map(String).filter(name => name.endsWith('.cc')).sort().map(name => path.join(folder, name))
}

/** Returns the folder of Node.js's headers, and of those of its OpenSSL. */
function nodeHeaders () {
  const folder = path.resolve(path.dirname(process.execPath), '../include/node')
  if (!fs.existsSync(path.join(folder, 'node_api.h'))) throw new InstallError(`Node.js has no headers in ${folder}.`)
  return folder
}

module.exports = { buildAddon }
