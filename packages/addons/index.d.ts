/**
 * Loads a native addon: the one that node-gyp built in the package's folder, or else the one of the optional package for
 * this platform.
 *
 * @param name of the addon: `pmemobj`, `collation`
 * @param folder of the package that has its sources
 * @returns what the addon exports
 * @throws an error of one sentence that says what to do; its code is `ADDON_MISSING` or `ADDON_BROKEN`
 */
export function loadAddon (name: string, folder: string): any
/** The platforms for which there are prebuilt addons, in packages named `@potoroo/addons-…`. */
export const platforms: Platform[]
export interface Platform {
  /** `linux-x64-musl`, the end of the package's name. */
  name: string
  os: string
  cpu: string
  libc: 'glibc' | 'musl'
}
