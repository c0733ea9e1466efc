'use strict'

const { execFileSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')

const release = 'pouchdb@4.0.3'
const integrity = 'sha512-tFgB0i09xiaoKyysLLC3+n5KuRPBYR7Q4IOBf6VEncIuKzUbQ+5Kk7nXIdvNbMAIdGqy5CUQx42x+C7BvG3s8A=='

const cache = path.join(__dirname, '../../node_modules/.cache/pouchdb-4.0.3')

/**
 * The last release of PouchDB that carries its tests, from the npm registry or from the cache:
 * only unpacked, none of its code but the tests is run, none of its dependencies is installed.
 *
 * @returns {string} its folder of tests
 */
function unpackTests () {
  const tests = path.join(cache, 'package/tests')
  if (fs.existsSync(path.join(cache, 'complete'))) return tests
  fs.rmSync(cache, { recursive: true, force: true })
  fs.mkdirSync(cache, { recursive: true })
  const tarball = download()
  execFileSync('tar', ['-xzf', tarball, '-C', cache, 'package/tests/integration', 'package/tests/mapreduce', 'package/tests/common-utils.js'])
  fs.rmSync(tarball)
  fs.writeFileSync(path.join(cache, 'complete'), '')
  return tests
}

function download () {
  const output = execFileSync('npm', ['pack', release, '--json', '--pack-destination', cache], {
    encoding: 'utf8',
    cwd: cache,
    stdio: ['ignore', 'pipe', 'ignore']
  })
  const tarball = path.join(cache, JSON.parse(output)[0].filename)
  const found = 'sha512-' + createHash('sha512').update(fs.readFileSync(tarball)).digest('base64')
  if (found !== integrity) throw new Error(`${release} from the registry has ${found}, not ${integrity}`)
  return tarball
}

module.exports = { unpackTests }
