'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { mountImage, unmount } = require('./mounts')
const { createSubject } = require('./subjects')

/** Looks once more at an image that was kept. @param {string} kept folder of it @param {string} scratch */
async function look (kept, scratch) {
  const { subject, type, position } = JSON.parse(fs.readFileSync(path.join(kept, 'cut.json'), 'utf8'))
  const image = path.join(scratch, 'image')
  const mount = path.join(scratch, 'mount')
  fs.copyFileSync(path.join(kept, 'image'), image)
  await mountImage(type, image, mount)
  try {
    console.log(await createSubject(subject, mount).verify(path.join(kept, 'events'), position))
  } finally {
    await unmount(mount)
  }
}

module.exports = { look }
