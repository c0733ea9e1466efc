'use strict'

const { MemoryObjects } = require('./memory')

/** The target of all Proxies: their handlers alone know the values. */
const TARGET = {}

/** The places of names, which objects with the same names share. @type {Map<string, Map<string, number>>} */
const shapes = new Map()

/** Finds values by names, and does nothing else. */
class Handler {
  constructor (object) {
    this.places = placesOf(Object.keys(object))
    this.values = Object.values(object)
  }

  get (_target, name) {
    return this.values[this.places.get(name)]
  }

  set (_target, name, value) {
    this.values[this.places.get(name)] = value
    return true
  }
}

function placesOf (names) {
  const shape = names.join()
  if (!shapes.has(shape)) shapes.set(shape, new Map(names.map((name, place) => [name, place])))
  return shapes.get(shape)
}

/** Objects of JavaScript behind Proxies: the most that objects could reach that see each access. */
class ProxyObjects extends MemoryObjects {
  insert (start, objects) {
    for (const [index, object] of objects.entries()) this.root.objects[start + index] = new Proxy(TARGET, new Handler(object))
  }
}

module.exports = { ProxyObjects }
