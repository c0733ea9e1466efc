'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const readline = require('node:readline')

const MEMORY = '1536M'
/** abstract-level's suite makes hundreds of databases. */
const NVDIMM = '3G'

/** Whether the processor virtualizes; elsewhere QEMU translates, which is some ten times as slow. */
const hasKvm = () => fs.existsSync('/dev/kvm') && /^flags.*\b(vmx|svm)\b/m.test(fs.readFileSync('/proc/cpuinfo', 'utf8'))

/** One boot of a machine with an NVDIMM, which lies in a file and outlives it. */
class VirtualMachine {
  #child
  #exited
  /** The lines that it printed last. */
  #lines = /** @type {string[]} */ ([])

  /** @param {{ kernel: string, initialRoot: string, nvdimm: string, share: string }} files `share` has a script named `start` */
  constructor ({ kernel, initialRoot, nvdimm, share }) {
    const folder = (id, path, more) => ['-fsdev', `local,id=${id},path=${path},security_model=none${more}`, '-device', `virtio-9p-pci,fsdev=${id},mount_tag=${id}`]
    this.#child = spawn('qemu-system-x86_64', [
      ...(hasKvm() ? ['-accel', 'kvm', '-cpu', 'host'] : ['-accel', 'tcg,thread=single', '-cpu', 'max']),
      '-machine', 'pc,nvdimm=on', '-smp', '1', '-m', `${MEMORY},slots=2,maxmem=8G`,
      '-object', `memory-backend-file,id=nvdimm,share=on,mem-path=${nvdimm},size=${NVDIMM}`, '-device', 'nvdimm,id=nv0,memdev=nvdimm',
      '-display', 'none', '-vga', 'none', '-nic', 'none', '-serial', 'stdio', '-no-reboot',
      '-kernel', kernel, '-initrd', initialRoot, '-append', 'console=ttyS0 panic=-1 quiet nokaslr mitigations=off',
      ...folder('host', '/', ',readonly=on,multidevs=remap'), ...folder('share', share, '')
    ], { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#exited = once(this.#child, 'exit')
  }

  /** Gives what it tells, until it ends. @returns {AsyncGenerator<any>} */
  async * told () {
    for await (const line of readline.createInterface({ input: this.#child.stdout })) {
      this.#lines = [...this.#lines.slice(-60), line]
      if (line.startsWith('power: ')) yield JSON.parse(line.slice('power: '.length))
    }
    await this.#exited
  }

  get output () { return this.#lines.join('\n') }

  /** As if its plug were pulled. */
  kill () { this.#child.kill('SIGKILL') }
}

module.exports = { VirtualMachine, hasKvm }
