'use strict'

/** The errors of the operating system, in words. @type {Record<string, string>} */
const WORDS = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EDQUOT: 'no room is left for this user',
  EEXIST: 'it is there already',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'this process has too many files open',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'the machine has too many files open',
  ENODEV: 'there is no such device',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'no room is left',
  ENOTDIR: 'what should be a folder on the way is a file',
  ENOTEMPTY: 'it is not empty',
  EROFS: 'nothing can be written to this file system',
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the connection was broken off',
  EHOSTUNREACH: 'no way leads to this host',
  ENETUNREACH: 'no way leads to this network',
  ENOTFOUND: 'no host has this name',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  EPIPE: 'who reads it has gone',
  ETIMEDOUT: 'it takes too long'
}

/** @type {Record<string, string>} */
const VERBS = { mkdir: 'make', mkdtemp: 'make', read: 'read', scandir: 'read', write: 'write', rename: 'rename', rmdir: 'remove', unlink: 'remove' }

/** The name of a file or folder until it is whole. */
const DRAFT = /\.[0-9a-f]{8,10}\.(new|draft|restoring|salvaging)(?=$|\/)/

/**
 * @param {any} error of Node.js
 * @returns {string} its reason: `permission denied`
 */
function reasonOf (error) {
  return WORDS[error.code] ?? error.message
}

/**
 * @param {any} error
 * @returns {string | null} what could not be done with which file, and why; null where it is about no file
 */
function fileErrorInWords (error) {
  const { path: file, syscall, code } = error
  if (typeof file !== 'string' || WORDS[code] === undefined) return null
  const name = finalName(file)
  return `cannot ${name === file ? VERBS[syscall] ?? 'open' : 'make'} ${name}: ${reasonOf(error)}`
}

/** @param {string} file as it is to be called */
function finalName (file) { return file.replace(DRAFT, '') }

module.exports = { finalName, fileErrorInWords, reasonOf }
