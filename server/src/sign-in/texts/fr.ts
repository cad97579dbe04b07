import type { Texts } from './texts.ts'

export const fr: Texts = {
  signIn: {
    title: tenant => `Se connecter à ${tenant}`,
    toContinue: client => `pour continuer vers ${client}`,
    email: 'Adresse e-mail',
    send: 'Continuer',
    both: 'Nous vous envoyons un e-mail avec un lien et un code. Il n’y a pas de mot de passe.',
    linkOnly: 'Nous vous envoyons un e-mail avec un lien. Il n’y a pas de mot de passe.',
    codeOnly: 'Nous vous envoyons un e-mail avec un code. Il n’y a pas de mot de passe.',
    invalid: 'Veuillez saisir une adresse e-mail, par exemple nom@example.com.',
    or: 'ou',
    with: provider => `Continuer avec ${provider}`,
  },
  social: {
    denied: provider => `${provider} ne vous a pas connecté. Réessayez, ou choisissez une autre voie.`,
    away: provider =>
      `${provider} est injoignable pour le moment. Réessayez plus tard, ou choisissez une autre voie.`,
    faulty: provider =>
      `${provider} a donné une réponse à laquelle nous ne pouvons pas nous fier. Réessayez, ou choisissez une autre voie.`,
    unverified: provider =>
      `${provider} ne confirme pas qu’une adresse e-mail est la vôtre. Choisissez une autre voie, et associez ${provider} sur la page de votre compte : ensuite, cela marche.`,
    taken: provider =>
      `Ce compte ${provider} est associé ici à un autre membre. Dissociez-le d’abord là-bas.`,
    lastWayIn:
      'Ce compte reste associé : sans lui, vous ne pourriez plus vous connecter. Associez-en d’abord un autre.',
    returnTitle: 'Un instant',
    returnText: provider => `${provider} vous a renvoyé ici. Encore un clic, et vous y êtes.`,
    returnButton: 'Continuer',
  },
  mailSent: {
    title: 'Consultez vos e-mails',
    sentTo: 'Nous avons envoyé un e-mail à',
    both: 'Ouvrez le lien qu’il contient, ou saisissez son code ici. Les deux sont valables 10 minutes.',
    linkOnly:
      'Ouvrez le lien qu’il contient. Il est valable 10 minutes. Si vous l’avez ouvert ailleurs, saisissez le code affiché là-bas.',
    codeOnly: 'Saisissez ici le code qu’il contient. Il est valable 10 minutes.',
    code: 'Code à six chiffres',
    submit: 'Se connecter',
    nothing: 'Pas d’e-mail ? Regardez dans vos courriers indésirables, ou',
    again: 'demandez-en un autre',
    otherAddress: 'Utiliser une autre adresse',
    wrong: 'Ce code n’est pas correct. Vérifiez-le, et prenez l’e-mail le plus récent.',
    malformed: 'Veuillez saisir les six chiffres du code.',
    ended:
      'Ce code a été saisi trop souvent de façon erronée. Ouvrez le lien de l’e-mail, ou demandez-en un autre.',
    endedForNow:
      'Il y a eu trop de codes erronés pour cette adresse. Pendant une heure, seul le lien de l’e-mail fonctionne.',
    noCode: 'Ce code n’est plus valable. Veuillez demander un autre e-mail.',
  },
  continueAs: {
    title: 'Heureux de vous revoir',
    signedInAs: 'Vous êtes connecté en tant que',
    go: name => `Continuer en tant que ${name}`,
    other: 'Utiliser un autre compte',
  },
  link: {
    confirmTitle: tenant => `Se connecter à ${tenant}`,
    confirm: 'Encore un clic, et vous y êtes :',
    confirmButton: 'Se connecter',
    elsewhereTitle: 'Vous avez ouvert le lien dans un autre navigateur',
    elsewhere: 'Vous avez commencé à vous connecter ailleurs. Nous pouvons vous afficher un code à y saisir.',
    elsewhereButton: 'Afficher le code',
    codeTitle: 'Votre code',
    code: 'Saisissez ce code dans la fenêtre où vous avez commencé à vous connecter :',
    warning:
      'Ne le communiquez à personne. Si vous n’avez pas vous-même commencé à vous connecter, fermez cette page.',
    deadTitle: 'Ce lien n’est plus valable',
    dead: 'Un lien fonctionne une seule fois, pendant 10 minutes. Retournez là où vous avez commencé, et demandez un autre e-mail.',
  },
  problem: {
    title: 'Cela n’a pas fonctionné',
    client:
      'L’application qui vous a envoyé ici a demandé quelque chose qui n’est pas possible. Ce n’est pas de votre faute.',
    clientAdvice:
      'Revenez en arrière et réessayez. Si cela se reproduit, signalez-le à l’assistance de l’application.',
    developer: 'Pour les développeurs de l’application',
    expiredTitle: 'Cette page est trop ancienne',
    expired: 'La connexion a pris trop de temps, ou elle a déjà eu lieu dans une autre fenêtre.',
    restart: 'Recommencer',
    startOver: 'Retournez d’où vous veniez, et recommencez.',
    tooManyMailsTitle: 'Trop d’e-mails',
    tooManyMails:
      'Nous avons envoyé cinq e-mails à cette adresse en peu de temps. Prenez le plus récent, ou réessayez dans 15 minutes.',
    tooManyTitle: 'Trop de tentatives',
    tooMany: 'Il y a eu trop de tentatives depuis votre réseau. Veuillez réessayer dans quelques minutes.',
    foreign: 'Ce formulaire n’a pas été envoyé depuis notre propre page. Veuillez ouvrir la page à nouveau.',
    closed: 'Cette adresse ne permet pas de se connecter ici.',
    unavailableTitle: 'Indisponible pour le moment',
    unavailable: 'Quelque chose ne fonctionne pas de notre côté. Veuillez réessayer dans un instant.',
    notFoundTitle: 'Cette page n’existe pas',
    notFound: 'Veuillez vérifier l’adresse.',
    backToMail: 'Saisir le code',
  },
  signOut: {
    title: tenant => `Se déconnecter de ${tenant} ?`,
    asked: client => `${client} demande votre déconnexion.`,
    go: 'Se déconnecter',
    stay: 'Rester connecté',
  },
  signedOut: {
    title: 'Vous êtes déconnecté',
    text: 'Ce navigateur vous a oublié. Les autres appareils restent connectés, de même que les applications auxquelles vous vous êtes connecté.',
    again: 'Se reconnecter',
  },
  account: {
    title: 'Votre compte',
    email: 'Adresse e-mail',
    name: 'Nom',
    since: 'Membre depuis',
    sessions: 'Où vous êtes connecté',
    sessionsText:
      'Chaque navigateur et chaque application associée a sa propre session. Terminez celles que vous ne connaissez pas.',
    thisBrowser: 'Ce navigateur',
    application: client => `Application : ${client}`,
    lastSeen: when => `Vu pour la dernière fois ${when}`,
    signedIn: day => `Connecté le ${day}`,
    from: address => `depuis ${address}`,
    end: 'Terminer',
    endLabel: session => `Terminer la session : ${session}`,
    ended: 'La session est terminée.',
    accounts: 'Comptes associés',
    accountsText:
      'Vous pouvez aussi vous connecter avec ceux-ci. C’est le compte qui compte, quelle que soit son adresse e-mail.',
    link: provider => `Associer ${provider}`,
    linked: 'Le compte est associé.',
    unlink: 'Dissocier',
    unlinkLabel: account => `Dissocier le compte : ${account}`,
    unlinked: 'Le compte n’est plus associé.',
    onlyWayIn: 'Votre seule façon de vous connecter',
    signOut: 'Se déconnecter de ce navigateur',
    unknownDevice: 'Appareil inconnu',
    device: (browser, system) => `${browser} sur ${system}`,
  },
  mail: {
    subject: tenant => `Se connecter à ${tenant}`,
    subjectWithCode: (tenant, code) => `${code} est votre code pour ${tenant}`,
    greeting: 'Bonjour,',
    linkText: tenant => `ouvrez ce lien pour vous connecter à ${tenant} :`,
    button: 'Se connecter',
    codeText: 'Ou saisissez ce code là où vous avez commencé à vous connecter :',
    codeOnlyText: tenant => `saisissez ce code pour vous connecter à ${tenant} :`,
    until: 'Il est valable une seule fois, pendant 10 minutes. Ne le communiquez à personne.',
    notYou:
      'Vous n’avez pas demandé cet e-mail ? Alors vous n’avez rien à faire : sans lui, personne ne peut entrer.',
  },
}
