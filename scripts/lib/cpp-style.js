'use strict'

const { execFileSync, spawnSync } = require('node:child_process')
const path = require('node:path')

const root = path.join(__dirname, '../..')

/** Debian 12's. Other versions break lines elsewhere. */
const VERSION = 14

/**
 * Returns whether clang-format or clang-tidy is there, of the version that the code is written with.
 * @param {'clang-format' | 'clang-tidy'} tool
 */
function hasTool (tool) {
  const { status, stdout } = spawnSync(tool, ['--version'], { encoding: 'utf8' })
  return status === 0 && Number(/version (\d+)\./.exec(stdout)?.[1]) === VERSION
}

/**
 * Lists the C++ files that git knows.
 * @param {string[]} patterns
 */
function cppFiles (patterns) {
  return execFileSync('git', ['ls-files', ...patterns], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
}

/** Returns the lines in which a file differs from what clang-format makes of it. @returns {string} empty where there are none */
function formatFaults () {
  const { stderr } = spawnSync('clang-format', ['--dry-run', ...cppFiles(['*.cc', '*.h'])], { cwd: root, encoding: 'utf8' })
  return stderr
}

/** Returns clang-tidy's findings in the engine, by the checks of `.clang-tidy`. @returns {string} */
function tidyFaults () {
  const files = cppFiles(['packages/pmemobj/src/engine/*.cc'])
  const { stdout } = spawnSync('clang-tidy', ['--quiet', ...files, '--', '-std=c++17', '-Ipackages/pmemobj/src'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
  return stdout
}

module.exports = { VERSION, formatFaults, hasTool, tidyFaults }
