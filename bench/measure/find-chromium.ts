import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The path of Chromium in PATH, undefined where it is not installed. */
export function findChromium(path = process.env.PATH ?? ''): string | undefined {
  const files = path.split(delimiter).flatMap(folder => names.map(name => join(folder, name)))
  return files.find(file => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
