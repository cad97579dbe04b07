import type { Texts } from './texts.ts'

export const de: Texts = {
  signIn: {
    title: tenant => `Bei ${tenant} anmelden`,
    toContinue: client => `und weiter zu ${client}`,
    email: 'E-Mail-Adresse',
    send: 'Weiter',
    both: 'Wir senden Ihnen eine E-Mail mit einem Link und einem Code. Ein Passwort gibt es nicht.',
    linkOnly: 'Wir senden Ihnen eine E-Mail mit einem Link. Ein Passwort gibt es nicht.',
    codeOnly: 'Wir senden Ihnen eine E-Mail mit einem Code. Ein Passwort gibt es nicht.',
    invalid: 'Bitte geben Sie eine E-Mail-Adresse wie name@example.com ein.',
    or: 'oder',
    with: provider => `Weiter mit ${provider}`,
  },
  social: {
    denied: provider =>
      `${provider} hat Sie nicht angemeldet. Versuchen Sie es noch einmal, oder nehmen Sie einen anderen Weg.`,
    away: provider =>
      `${provider} ist im Moment nicht zu erreichen. Versuchen Sie es später noch einmal, oder nehmen Sie einen anderen Weg.`,
    faulty: provider =>
      `${provider} hat eine Antwort gegeben, der wir nicht trauen können. Versuchen Sie es noch einmal, oder nehmen Sie einen anderen Weg.`,
    refused: provider => `${provider} ist im Moment nicht zu benutzen. Nehmen Sie einen anderen Weg.`,
    unverified: provider =>
      `${provider} bestätigt nicht, dass eine E-Mail-Adresse Ihnen gehört. Nehmen Sie einen anderen Weg, und verknüpfen Sie ${provider} in Ihrem Konto: dann geht es.`,
    taken: provider =>
      `Dieses Konto bei ${provider} ist hier mit einem anderen Mitglied verknüpft. Lösen Sie es zuerst dort.`,
    lastWayIn:
      'Dieses Konto bleibt verknüpft: ohne es könnten Sie sich nicht mehr anmelden. Verknüpfen Sie zuerst ein anderes.',
    returnTitle: 'Einen Augenblick',
    returnText: provider => `${provider} hat Sie zurückgeschickt. Noch ein Klick, und Sie sind drin.`,
    returnButton: 'Weiter',
  },
  mailSent: {
    title: 'Sehen Sie in Ihre E-Mails',
    sentTo: 'Wir haben eine E-Mail gesendet an',
    both: 'Öffnen Sie den Link darin, oder geben Sie den Code hier ein. Beide gelten 10 Minuten.',
    linkOnly:
      'Öffnen Sie den Link darin. Er gilt 10 Minuten. Haben Sie ihn woanders geöffnet, geben Sie den Code ein, den Sie dort sehen.',
    codeOnly: 'Geben Sie den Code daraus hier ein. Er gilt 10 Minuten.',
    code: 'Sechsstelliger Code',
    submit: 'Anmelden',
    nothing: 'Keine E-Mail? Sehen Sie in den Spam-Ordner, oder lassen Sie sich',
    again: 'eine weitere senden',
    otherAddress: 'Andere Adresse verwenden',
    wrong: 'Dieser Code stimmt nicht. Bitte prüfen Sie ihn, und nehmen Sie die neueste E-Mail.',
    malformed: 'Bitte geben Sie die sechs Ziffern des Codes ein.',
    ended:
      'Der Code war zu oft falsch. Öffnen Sie den Link in der E-Mail, oder lassen Sie sich eine weitere senden.',
    endedForNow:
      'Zu dieser Adresse gab es zu viele falsche Codes. Eine Stunde lang geht es nur mit dem Link in der E-Mail.',
    noCode: 'Dieser Code gilt nicht mehr. Bitte lassen Sie sich eine weitere E-Mail senden.',
  },
  continueAs: {
    title: 'Willkommen zurück',
    signedInAs: 'Sie sind angemeldet als',
    go: name => `Weiter als ${name}`,
    other: 'Anderes Konto verwenden',
  },
  link: {
    confirmTitle: tenant => `Bei ${tenant} anmelden`,
    confirm: 'Noch ein Klick, und Sie sind da:',
    confirmButton: 'Anmelden',
    elsewhereTitle: 'Sie haben den Link in einem anderen Browser geöffnet',
    elsewhere:
      'Sie haben die Anmeldung woanders begonnen. Wir können Ihnen einen Code zeigen, den Sie dort eingeben.',
    elsewhereButton: 'Code zeigen',
    codeTitle: 'Ihr Code',
    code: 'Geben Sie diesen Code in dem Fenster ein, in dem Sie die Anmeldung begonnen haben:',
    warning:
      'Sagen Sie ihn niemandem. Wenn Sie die Anmeldung nicht selbst begonnen haben, schließen Sie diese Seite.',
    deadTitle: 'Dieser Link gilt nicht mehr',
    dead: 'Ein Link gilt einmal und 10 Minuten lang. Gehen Sie dorthin zurück, wo Sie begonnen haben, und lassen Sie sich eine weitere E-Mail senden.',
  },
  problem: {
    title: 'Das hat nicht geklappt',
    client:
      'Die Anwendung, die Sie hierher geschickt hat, wollte etwas, das nicht möglich ist. Das ist nicht Ihre Schuld.',
    clientAdvice:
      'Gehen Sie zurück, und versuchen Sie es noch einmal. Wenn es wieder geschieht, sagen Sie es dem Support der Anwendung.',
    developer: 'Für die Entwickler der Anwendung',
    expiredTitle: 'Diese Seite ist zu alt',
    expired: 'Die Anmeldung hat zu lange gedauert, oder sie ist in einem anderen Fenster schon geschehen.',
    restart: 'Neu beginnen',
    startOver: 'Gehen Sie dorthin zurück, woher Sie kamen, und beginnen Sie neu.',
    tooManyMailsTitle: 'Zu viele E-Mails',
    tooManyMails:
      'Wir haben in kurzer Zeit fünf E-Mails an diese Adresse gesendet. Nehmen Sie die neueste, oder versuchen Sie es in 15 Minuten noch einmal.',
    tooManyTitle: 'Zu viele Versuche',
    tooMany:
      'Aus Ihrem Netz gab es zu viele Versuche. Bitte versuchen Sie es in einigen Minuten noch einmal.',
    foreign: 'Dieses Formular kam nicht von unserer eigenen Seite. Bitte öffnen Sie die Seite noch einmal.',
    closed: 'Mit dieser Adresse ist hier keine Anmeldung möglich.',
    unavailableTitle: 'Im Moment nicht erreichbar',
    unavailable: 'Bei uns geht gerade etwas nicht. Bitte versuchen Sie es gleich noch einmal.',
    notFoundTitle: 'Diese Seite gibt es nicht',
    notFound: 'Bitte prüfen Sie die Adresse.',
    backToMail: 'Code eingeben',
  },
  signOut: {
    title: tenant => `Bei ${tenant} abmelden?`,
    asked: client => `${client} möchte Sie abmelden.`,
    go: 'Abmelden',
    stay: 'Angemeldet bleiben',
  },
  signedOut: {
    title: 'Sie sind abgemeldet',
    text: 'Dieser Browser hat Sie vergessen. Andere Geräte bleiben vielleicht angemeldet, ebenso Anwendungen, bei denen Sie sich angemeldet haben.',
    again: 'Wieder anmelden',
  },
  account: {
    title: 'Ihr Konto',
    email: 'E-Mail-Adresse',
    name: 'Name',
    nameText: 'Freiwillig. Anwendungen, bei denen Sie sich anmelden, können ihn erfahren.',
    saveName: 'Namen speichern',
    named: 'Ihr Name ist gespeichert.',
    nameTooLong: max => `Ein Name hat höchstens ${max} Zeichen.`,
    since: 'Mitglied seit',
    sessions: 'Wo Sie angemeldet sind',
    sessionsText:
      'Jeder Browser und jede verbundene Anwendung hat eine eigene Sitzung. Beenden Sie die, die Sie nicht kennen.',
    thisBrowser: 'Dieser Browser',
    application: client => `Anwendung: ${client}`,
    lastSeen: when => `Zuletzt gesehen ${when}`,
    signedIn: day => `Angemeldet am ${day}`,
    from: address => `von ${address}`,
    end: 'Beenden',
    endLabel: session => `Sitzung beenden: ${session}`,
    ended: 'Die Sitzung ist beendet.',
    accounts: 'Verknüpfte Konten',
    accountsText:
      'Auch damit können Sie sich anmelden. Es zählt das Konto, was auch immer seine E-Mail-Adresse ist.',
    link: provider => `${provider} verknüpfen`,
    linked: 'Das Konto ist verknüpft.',
    unlink: 'Lösen',
    unlinkLabel: account => `Verknüpfung lösen: ${account}`,
    unlinked: 'Das Konto ist nicht mehr verknüpft.',
    onlyWayIn: 'Ihr einziger Weg, sich anzumelden',
    signOut: 'In diesem Browser abmelden',
    unknownDevice: 'Unbekanntes Gerät',
    device: (browser, system) => `${browser} unter ${system}`,
  },
  mail: {
    subject: tenant => `Bei ${tenant} anmelden`,
    subjectWithCode: (tenant, code) => `${code} ist Ihr Code für ${tenant}`,
    greeting: 'Guten Tag,',
    linkText: tenant => `mit diesem Link melden Sie sich bei ${tenant} an:`,
    button: 'Anmelden',
    codeText: 'Oder geben Sie diesen Code dort ein, wo Sie die Anmeldung begonnen haben:',
    codeOnlyText: tenant => `mit diesem Code melden Sie sich bei ${tenant} an:`,
    until: 'Er gilt einmal und 10 Minuten lang. Sagen Sie ihn niemandem.',
    notYou:
      'Sie haben diese E-Mail nicht angefordert? Dann müssen Sie nichts tun: Ohne sie kommt niemand hinein.',
  },
}
