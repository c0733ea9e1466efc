'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { InstallError } = require('./install-error')
const { root } = require('./node-modules')
const { unpackTarball } = require('./registry-tarball')

const release = {
  name: 'fauxton@1.2.6',
  integrity: 'sha512-5ZwPKqstwmQclSHifWBmbyzlBOLoBB3gssGaiEFLPcIzHO0Zxz+uPr/D/Fs6DGH7Hfohw7s6zqcjwU9CRcshfw=='
}

const folder = path.join(root, 'packages/fauxton/build')

/** The files of Fauxton, which its package serves and does not keep under version control. */
const fauxton = {
  state () {
    return { ready: fs.existsSync(path.join(folder, 'index.html')), reason: 'not fetched yet' }
  },

  /** The folder appears at once and whole. @throws {InstallError} */
  fetch () {
    const temporary = fs.mkdtempSync(`${folder}-`)
    try {
      unpackTarball(release.name, release.integrity, temporary, ['dist/release', 'LICENSE'])
      const files = path.join(temporary, 'package/dist/release')
      fs.renameSync(path.join(temporary, 'package/LICENSE'), path.join(files, 'LICENSE'))
      fs.rmSync(folder, { recursive: true, force: true })
      fs.renameSync(files, folder)
    } catch (error) {
      throw new InstallError(`${release.name} could not be fetched: ${error.message}`)
    } finally {
      fs.rmSync(temporary, { recursive: true, force: true })
    }
  }
}

module.exports = { fauxton }
