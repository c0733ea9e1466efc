export { Buffer, process, setImmediate } from './globals.js'
