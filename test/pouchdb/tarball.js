'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { unpackTarball } = require('../../scripts/lib/registry-tarball')

const caches = path.join(__dirname, '../../node_modules/.cache/releases-with-tests')

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
 * A release from the npm registry or from the cache. Only its tests are run.
 *
 * @param {keyof typeof releases} which
 * @returns {string} its folder
 */
function unpackRelease (which) {
  const { name, integrity, wanted } = releases[which]
  const cache = path.join(caches, name.replace('@', '-'))
  if (!fs.existsSync(cache)) {
    fs.mkdirSync(caches, { recursive: true })
    const unpacked = fs.mkdtempSync(`${cache}-`)
    unpackTarball(name, integrity, unpacked, wanted)
    keep(unpacked, cache)
  }
  return path.join(cache, 'package')
}

/** Gives a folder its name once it is whole: another process may do the same at the same time. */
function keep (unpacked, cache) {
  try {
    fs.renameSync(unpacked, cache)
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    fs.rmSync(unpacked, { recursive: true })
  }
}

module.exports = { unpackRelease }
