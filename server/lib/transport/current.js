'use strict'

/** On a socket of HTTP/1.1: the response that it is busy with, and through it the request. */
const CURRENT = Symbol('current response')

/** On a server: its connections are watched for what stands still. */
const WATCHED = Symbol('watched connections')

module.exports = { CURRENT, WATCHED }
