<?php
// The application of perf/bin/persevere.js: people as JSON, a request each, in a table of MariaDB with an index.

$options = [PDO::ATTR_PERSISTENT => true, PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC];
$database = new PDO('mysql:unix_socket=' . $_SERVER['DATABASE_SOCKET'] . ';dbname=people', 'root', '', $options);
$id = substr($_SERVER['PATH_NAME'], 1);
header('Content-Type: application/json');

switch ($_SERVER['REQUEST_METHOD']) {
    case 'POST':
        $person = json_decode(file_get_contents('php://input'), true);
        $database->prepare('INSERT INTO person (id, firstName, number) VALUES (?, ?, ?)')->execute([$id, $person['firstName'], $person['number']]);
        http_response_code(201);
        echo json_encode(['ok' => true, 'id' => $id]);
        break;
    case 'PUT':
        $person = json_decode(file_get_contents('php://input'), true);
        $update = $database->prepare('UPDATE person SET firstName = ?, number = ?, updated = ? WHERE id = ?');
        $update->execute([$person['firstName'], $person['number'], $person['updated'] ? 1 : 0, $id]);
        http_response_code($update->rowCount() === 1 ? 201 : 404);
        echo json_encode(['ok' => true, 'id' => $id]);
        break;
    default:
        $query = $database->prepare('SELECT id, firstName, number FROM person WHERE number = ? LIMIT 25');
        $query->execute([$_GET['number']]);
        echo json_encode(['docs' => $query->fetchAll()]);
}
