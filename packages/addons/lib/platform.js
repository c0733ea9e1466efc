'use strict'

const fs = require('node:fs')

/** @typedef {import('..').Platform} Platform */

/** @type {Platform[]} */
const platforms = [
  { name: 'linux-x64', os: 'linux', cpu: 'x64', libc: 'glibc' },
  { name: 'linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl' },
  { name: 'linux-arm64', os: 'linux', cpu: 'arm64', libc: 'glibc' },
  { name: 'linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl' }
]

/** Returns the name of the platform that this process runs on, also where nothing is prebuilt for it: `darwin-arm64`. */
function currentPlatform () {
  const { platform, arch } = process
  return platform === 'linux' && libc() === 'musl' ? `${platform}-${arch}-musl` : `${platform}-${arch}`
}

/**
 * musl's loader and its library of C are one file, which Alpine names after the loader and others after the library;
 * glibc's is libc.so.6.
 *
 * @returns {'glibc' | 'musl'} that is loaded into this process: a machine may have both
 */
function libc () {
  try {
    return /\/(ld-musl-[^/\n]*|libc\.so)$/m.test(fs.readFileSync('/proc/self/maps', 'utf8')) ? 'musl' : 'glibc'
  } catch {
    return 'glibc'
  }
}

module.exports = { currentPlatform, platforms }
