'use strict'

const express = require('express')

/**
 * Gives the requests and responses of a server what express gives them.
 *
 * Express gives each request and response its own prototypes, which throws away what V8 knows
 * about them. Here the classes that the server makes them from are chained to express's once.
 * One function answers all requests, so express's router is left out: it takes 3 to 5 % of a GET.
 *
 * @param {(req: any, res: any) => unknown} handle answers a request
 * @param {any} Request what the server makes requests from
 * @param {any} Response
 * @returns {(req: any, res: any) => void}
 */
function onExpress (handle, Request, Response) {
  const app = express()
  chain(Request, app.request)
  chain(Response, app.response)
  return (req, res) => {
    req.originalUrl = req.url
    handle(req, res)
  }
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

module.exports = { chain, onExpress }
