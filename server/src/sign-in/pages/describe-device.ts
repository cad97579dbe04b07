// The order counts: nearly every browser also names those that it came from.
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdgA?(?:iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac(?:intosh| OS X)\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

const nameIn = (userAgent: string, names: readonly [RegExp, string][]): string | undefined =>
  names.find(([pattern]) => pattern.test(userAgent))?.[1]

/** The browser and the system that a User-Agent names, as people call them; undefined when it names none that we
 *  know. */
export function describeDevice(userAgent: string): { browser: string; system: string } | undefined {
  const head = userAgent.slice(0, 1_000)
  const browser = nameIn(head, BROWSERS)
  const system = nameIn(head, SYSTEMS)
  return browser === undefined || system === undefined ? undefined : { browser, system }
}
