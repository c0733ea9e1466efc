'use strict'

const { execFileSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')

const caches = path.join(__dirname, '../../node_modules/.cache')

/** The last releases that carry their tests. */
const releases = {
  pouchdb: {
    name: 'pouchdb@4.0.3',
    integrity: 'sha512-tFgB0i09xiaoKyysLLC3+n5KuRPBYR7Q4IOBf6VEncIuKzUbQ+5Kk7nXIdvNbMAIdGqy5CUQx42x+C7BvG3s8A==',
    wanted: ['tests/integration', 'tests/mapreduce', 'tests/common-utils.js']
  },
  find: {
    name: 'pouchdb-find@0.10.5',
    integrity: 'sha512-cf6AD2zxfNagjiA9x20ycsRxPzhtiNel0HQBAP7SN4F+RkrPvzn8tgMVY8e/aD8ENfhHyibskT1tfiICUceU8g==',
    wanted: ['test/test-suite-1', 'test/test-suite-2', 'test/test-utils.js']
  }
}

/**
 * A release from the npm registry or from the cache: only unpacked, none of its code but the tests
 * is run, none of its dependencies is installed.
 *
 * @param {keyof typeof releases} which
 * @returns {string} its folder
 */
function unpackRelease (which) {
  const { name, integrity, wanted } = releases[which]
  const cache = path.join(caches, name.replace('@', '-'))
  const folder = path.join(cache, 'package')
  if (fs.existsSync(path.join(cache, 'complete'))) return folder
  fs.rmSync(cache, { recursive: true, force: true })
  fs.mkdirSync(cache, { recursive: true })
  const tarball = download(name, integrity, cache)
  execFileSync('tar', ['-xzf', tarball, '-C', cache, ...wanted.map((part) => `package/${part}`)])
  fs.rmSync(tarball)
  fs.writeFileSync(path.join(cache, 'complete'), '')
  return folder
}

function download (name, integrity, cache) {
  const output = execFileSync('npm', ['pack', name, '--json', '--pack-destination', cache], {
    encoding: 'utf8',
    cwd: cache,
    stdio: ['ignore', 'pipe', 'ignore']
  })
  const tarball = path.join(cache, JSON.parse(output)[0].filename)
  const found = 'sha512-' + createHash('sha512').update(fs.readFileSync(tarball)).digest('base64')
  if (found !== integrity) throw new Error(`${name} from the registry has ${found}, not ${integrity}`)
  return tarball
}

module.exports = { unpackRelease }
