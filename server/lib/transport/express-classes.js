'use strict'

const express = require('express')

/**
 * An express app whose requests and responses are already what express would make of them.
 *
 * Express gives each request and response its own prototypes, which throws away what V8 knows
 * about them. Here the classes that the server makes them from are chained to express's once,
 * and the app is told that these are its prototypes: setting them changes nothing any more.
 *
 * @param {(req: any, res: any) => unknown} handle answers a request
 * @param {any} Request what the server makes requests from
 * @param {any} Response
 * @returns {import('express').Express}
 */
function createApp (handle, Request, Response) {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.request = chain(Request, app.request)
  app.response = chain(Response, app.response)
  app.use(handle)
  return app
}

/**
 * Puts express's methods between a class and node's. They end in HTTP/1.1's prototypes; other
 * classes (HTTP/2's) get copies, which end in their own.
 *
 * @param {{ prototype: any }} Class
 * @param {any} expressPrototype
 */
function chain ({ prototype }, expressPrototype) {
  const node = Object.getPrototypeOf(prototype)
  const methods = expressPrototype instanceof node.constructor ? expressPrototype : copyOnto(node, expressPrototype)
  return Object.setPrototypeOf(prototype, methods)
}

/** @param {any} node @param {any} expressPrototype */
function copyOnto (node, expressPrototype) {
  return Object.create(node, {
    ...Object.getOwnPropertyDescriptors(Object.getPrototypeOf(expressPrototype)),
    ...Object.getOwnPropertyDescriptors(expressPrototype)
  })
}

module.exports = { chain, createApp }
