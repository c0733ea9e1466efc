'use strict'

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const { promisify } = require('node:util')

const run = promisify(execFile)

const MAKE = {
  ext4: image => run('mkfs.ext4', ['-q', '-F', image]),
  xfs: image => run('mkfs.xfs', ['-q', '-f', image])
}

/** @param {'ext4' | 'xfs'} type */
async function makeFileSystem (type, image) {
  await MAKE[type](image)
}

/** Mounts an image by way of a loop device, which goes away with the mount. XFS would refuse a second one with the same id. */
async function mountImage (type, image, folder) {
  fs.mkdirSync(folder, { recursive: true })
  await run('mount', ['-t', type, '-o', type === 'xfs' ? 'loop,nouuid' : 'loop', image, folder])
}

async function unmount (folder) {
  await run('umount', [folder])
}

module.exports = { makeFileSystem, mountImage, unmount, run }
